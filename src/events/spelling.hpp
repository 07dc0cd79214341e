// Comparing spellings of names: letters whatever their case, patterns, and the nearest names to a
// misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Equal but for the case of ASCII letters.
bool same_letters(std::string_view a, std::string_view b);

// `name` contains `pattern`, or matches it as a whole when it has * or ?; case makes no difference.
bool matches(std::string_view name, std::string_view pattern);

// How many insertions, deletions, replacements and swaps of neighbours make one of the other
// (Damerau's and Levenshtein's distance). Time is the product of the lengths.
std::size_t edits(std::string_view a, std::string_view b);

// The names fewest edits away from `wanted`, nearest first, at most `most`; names that share too
// little with it are left out.
std::vector<std::string> nearest(std::string_view wanted, std::span<const std::string> names,
                                 std::size_t most = 5);

// "did you mean 'a', 'b' or 'c'?", or empty.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names);

}  // namespace tacho
