#include "events/unsafe_toml.hpp"

#include <algorithm>

namespace tacho {
namespace {

constexpr std::ptrdiff_t kMostDots = 256;  // in a line; tacho's own files have at most 7

bool beyond_ascii(std::string_view line) {
  return std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool has_too_many_dots(std::string_view line) {
  return std::ranges::count(line, '.') > kMostDots;
}

constexpr struct {
  bool (*broken_by)(std::string_view line);
  std::string_view what;
  std::string_view remedy;
} kRules[] = {
    {beyond_ascii, "a character beyond ASCII outside a comment line",
     "write it as \\uXXXX between double quotes"},
    {has_too_many_dots, "more than 256 dots in a line",
     "divide the line; no key of tacho's files has as many"},
};

}  // namespace

std::optional<UnsafeLine> unsafe_toml_line(std::string_view toml) {
  for (std::size_t number = 1; !toml.empty(); ++number) {
    const std::string_view line = toml.substr(0, toml.find('\n'));
    const std::size_t start = line.find_first_not_of(" \t");
    const bool comment = start != std::string_view::npos && line[start] == '#';
    for (const auto& [broken_by, what, remedy] : kRules)
      if (!comment && broken_by(line)) return UnsafeLine{number, what, remedy};
    toml.remove_prefix(std::min(line.size() + 1, toml.size()));
  }
  return std::nullopt;
}

}  // namespace tacho
