// Reads a number that is a whole text.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace tacho {

// The number, if the whole text is one that the type can hold: without spaces, without "+", and
// finite. `base` is that of an integer, whose digits have no prefix.
template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number value{};
  std::from_chars_result parsed{};
  if constexpr (std::is_floating_point_v<Number>)
    parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  else
    parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace tacho
