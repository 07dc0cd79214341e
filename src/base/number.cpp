// Groups and rounds numbers for people, without the global locale.
#include "base/number.hpp"

#include <locale.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdlib>

#include "base/characters.hpp"

namespace tacho {
namespace {

// Returns a locale's separator if it is UTF-8, else `instead`. In a locale that is not UTF-8 a
// separator may be one byte above ASCII (the no-break space in ISO 8859-1), but reports are UTF-8.
std::string as_utf8(const char* text, const char* instead) {
  std::string separator = text != nullptr ? text : "";
  if (separator.size() == 1 && static_cast<unsigned char>(separator[0]) >= 0x80) return instead;
  return separator;
}

// Inserts the separators into decimal digits, from the right (localeconv(3)).
std::string grouped(std::string_view digits, const NumberStyle& style) {
  if (style.thousands.empty() || style.grouping.empty()) return std::string(digits);
  std::string result(digits);
  std::size_t at = digits.size();
  for (std::size_t i = 0;; i = std::min(i + 1, style.grouping.size() - 1)) {
    const auto size = static_cast<unsigned char>(style.grouping[i]);
    // CHAR_MAX ends the grouping; it is 127 or 255, depending on the architecture.
    if (size == 0 || size >= SCHAR_MAX || at <= size) return result;
    at -= size;
    result.insert(at, style.thousands);
  }
}

// Returns true if the environment names the C locale, with any character set (setlocale(3)).
bool is_plain() {
  for (const char* variable : {"LC_ALL", "LC_NUMERIC", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view name = value;
    return name == "C" || name == "POSIX" || name.starts_with("C.");
  }
  return true;
}

}  // namespace

NumberStyle NumberStyle::of_environment() {
  NumberStyle style;
  if (is_plain())
    return style;  // saves the search for the locale's files, which takes as long as a report
  const locale_t named = newlocale(LC_NUMERIC_MASK, "", locale_t{});
  if (named == locale_t{}) return style;
  const locale_t before = uselocale(named);  // of this thread only
  const lconv* conventions = localeconv();
  style.thousands = as_utf8(conventions->thousands_sep, " ");
  style.decimal = as_utf8(conventions->decimal_point, ".");
  style.grouping = conventions->grouping;
  uselocale(before);
  freelocale(named);
  if (style.decimal.empty()) style.decimal = ".";
  return style;
}

std::string whole(std::uint64_t value, const NumberStyle& style) {
  return grouped(std::to_string(value), style);
}

std::string fixed(double value, int digits, const NumberStyle& style) {
  if (!std::isfinite(value)) return "-";
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::fixed, std::clamp(digits, 0, 30));
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t point = text.find('.');
  std::string result = grouped(text.substr(0, point), style);
  if (point != text.npos) (result += style.decimal) += text.substr(point + 1);
  const bool shows_zero = text.find_first_not_of("0.") == text.npos;
  return value < 0 && !shows_zero ? "-" + result : result;
}

std::string brief(double value, const NumberStyle& style) {
  const double size = std::abs(value);
  if (size >= 1000 || value == std::floor(value)) return fixed(value, 0, style);
  return fixed(value, size >= 10 ? 1 : 2, style);
}

std::string plural(std::uint64_t n, std::string_view one, const NumberStyle& style) {
  return (whole(n, style) + ' ').append(one) + (n == 1 ? "" : "s");
}

std::string bytes(std::uint64_t value, const NumberStyle& style) {
  if (value < 1024) return whole(value, style) + " B";
  constexpr std::array kUnits = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  double scaled = static_cast<double>(value) / 1024;
  std::size_t unit = 0;
  for (; scaled >= 1023.95 && unit + 1 < kUnits.size(); ++unit) scaled /= 1024;
  return fixed(scaled, 1, style) + kUnits[unit];
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    const std::size_t plain = plain_bytes(utf8);
    width += plain;
    utf8.remove_prefix(plain);
    if (utf8.empty()) break;
    const Character character = first_character(utf8);
    width += columns_of(character.value);
    utf8.remove_prefix(character.bytes.size());
  }
  return width;
}

}  // namespace tacho
