// Numbers as people read them: separators of the locale, aligned by what a terminal shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacho {

// How the user's locale writes numbers. A plain value: ask for it once, pass it on.
struct NumberStyle {
  std::string thousands;  // may be empty (the C locale) or several bytes (U+202F)
  std::string decimal = ".";
  std::string grouping;  // as in lconv: group sizes from the right, the last one repeats

  // The style of the locale that the environment names; the C locale's when that does not exist.
  // The process's own locale stays as it is. Call it before other threads start: localeconv(3)
  // has one static result.
  static NumberStyle of_environment();
};

std::string whole(std::uint64_t value, const NumberStyle&);  // 1,234,567

// 1,234.57 for digits = 2; digits from 0 to 30. A value that is not finite gives "-".
std::string fixed(double value, int digits, const NumberStyle&);

// Whole from four digits on; below, with what helps to compare: 12.3, 1.23.
std::string brief(double value, const NumberStyle&);

// "1 end", "2 ends".
std::string plural(std::uint64_t n, std::string_view one, const NumberStyle&);

std::string bytes(std::uint64_t value, const NumberStyle&);  // 512 B, 6.2 MiB

// Columns that a terminal uses for UTF-8 text without combining or wide characters.
std::size_t display_width(std::string_view utf8);

}  // namespace tacho
