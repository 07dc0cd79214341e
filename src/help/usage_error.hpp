// What is wrong with the words of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"

namespace tacho {

// What CLI11 refused, in tacho's words. `asked` is the program or subcommand that parsed the words.
// `help` is the remedy where there is none better.
Error usage_error(const CLI::App& asked, const CLI::ParseError&, const std::string& help);

// The error of words that begin neither with a subcommand nor with an option of the program itself;
// nothing if they do, and for no words.
std::optional<Error> first_word_error(const CLI::App& program, std::span<const std::string> words,
                                      const std::string& help);

// The error of an empty word before "--": --html "$PAGE" of a script that did not set PAGE is no
// wish to have no page. CLI11 leaves such words out, or takes a default.
std::optional<Error> empty_word_error(std::span<const std::string> words, const std::string& help);

}  // namespace tacho
