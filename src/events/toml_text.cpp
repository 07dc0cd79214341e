#include "events/toml_text.hpp"

#include <algorithm>

namespace tacho {

std::optional<std::size_t> stray_character(std::string_view toml) {
  for (std::size_t line = 1; !toml.empty(); ++line) {
    const std::string_view text = toml.substr(0, toml.find('\n'));
    const std::size_t start = text.find_first_not_of(" \t");
    const bool comment = start != std::string_view::npos && text[start] == '#';
    const auto stray = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    if (!comment && std::ranges::any_of(text, stray)) return line;
    toml.remove_prefix(std::min(text.size() + 1, toml.size()));
  }
  return std::nullopt;
}

}  // namespace tacho
