// Writes numbers for people, with the separators of their locale, and measures how wide a text is
// on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacho {

// How the user's locale writes numbers. A plain value: read it once, pass it on.
struct NumberStyle {
  std::string thousands;  // may be empty (the C locale) or several bytes (U+202F)
  std::string decimal = ".";
  std::string grouping;  // as in lconv: sizes of groups from the right; the last one repeats

  // Returns the style of the locale that the environment names, or of the C locale if that one does
  // not exist. Does not change the process's locale. Call it before other threads start, because
  // localeconv(3) has one static result.
  static NumberStyle of_environment();
};

std::string whole(std::uint64_t value, const NumberStyle&);  // 1,234,567

// 1,234.57 if digits is 2; digits may be 0 to 30. A value that is not finite gives "-".
std::string fixed(double value, int digits, const NumberStyle&);

// A whole number from four digits on; below that with three digits: 12.3, 1.23.
std::string brief(double value, const NumberStyle&);

// "1 end", "2 ends".
std::string plural(std::uint64_t n, std::string_view one, const NumberStyle&);

std::string bytes(std::uint64_t value, const NumberStyle&);  // 512 B, 6.2 MiB

// Columns that a terminal uses for UTF-8 text that is printable() (columns_of()).
std::size_t display_width(std::string_view utf8);

}  // namespace tacho
