// What options take: decimal numbers, and words of a list. Given to an option by transform().
// CLI11's own checks have no words for a person.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tacho {

// CLI11 reads whole numbers as C does: 010 would be eight runs, 0x10 sixteen, and 08 none. Of a
// number without its leading zeros; empty: it is not decimal.
std::string as_decimal(const std::string& text);

// A number from `least` to `most`, whole where they are.
template <class Number>
CLI::Validator decimal(Number least, Number most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const std::string given = std::exchange(text, as_decimal(text));
        Number value{};
        // Not "below or above": nan is neither.
        if (!text.empty() && CLI::detail::lexical_cast(text, value) && value >= least &&
            value <= most)
          return std::string();
        return fmt::format("'{}' is not a {}decimal number from {} to {}", given,
                           std::is_integral_v<Number> ? "whole " : "", least, most);
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> words);

// Takes everything, and names words that completion offers. `words` is called only for that.
CLI::Validator offers(std::function<std::vector<std::string>()> words);

// The words that an option offers: those of one_of(), offers() and CLI11's IsMember.
std::vector<std::string> offered_words(const CLI::Option& option);

}  // namespace tacho
