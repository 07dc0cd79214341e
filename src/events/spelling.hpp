// Compares the spellings of names: without regard to case, by patterns, and by distance, for the
// names nearest to a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Whether both are equal when the case of ASCII letters is ignored.
bool same_letters(std::string_view a, std::string_view b);

// Whether `name` contains `pattern` or, if that has * or ?, matches it as a whole. Case makes no
// difference.
bool matches(std::string_view name, std::string_view pattern);

// The Damerau-Levenshtein distance: the fewest insertions, deletions, replacements and swaps of
// neighbours that turn `a` into `b`. The time grows with the product of the lengths.
std::size_t edits(std::string_view a, std::string_view b);

// The names with the fewest edits from `wanted`, nearest first, at most `most`. Names that are too
// different are left out.
std::vector<std::string> nearest(std::string_view wanted, std::span<const std::string> names,
                                 std::size_t most = 5);

// "did you mean 'a', 'b' or 'c'?", or empty if no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names);

}  // namespace tacho
