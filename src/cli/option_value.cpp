#include "cli/option_value.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace tacho {

std::string as_decimal(const std::string& text) {
  if (text.find_first_of("xX") != text.npos) return {};
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t first = std::min(text.find_first_not_of('0', sign), text.size());
  // A zero stays before what is no digit, as in 0.5, and of zeros alone.
  const bool digit = first < text.size() && text[first] >= '0' && text[first] <= '9';
  std::string without = text;
  if (first > sign) without.erase(sign, first - sign - (digit ? 0 : 1));
  return without;
}

CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](const std::string& text) {
        return std::ranges::find(words, text) != words.end()
                   ? std::string()
                   : fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
      },
      "");
}

}  // namespace tacho
