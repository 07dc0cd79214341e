// Skips TOML's comments and four kinds of strings. Agrees with a parser up to the first error,
// which is as far as a parser reads.
#include "events/toml_text.hpp"

#include <algorithm>

namespace tacho {
namespace {

// The place behind the string that starts at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const bool is_long = at + 2 < text.size() && text[at + 1] == quote && text[at + 2] == quote;
  std::size_t closing = 0;  // quotes in a row
  for (at += is_long ? 3 : 1; at < text.size(); ++at) {
    const char c = text[at];
    if (!is_long && c == '\n') return at;  // not closed: an error to any parser
    if (c != quote) {
      if (closing >= 3) return at;
      closing = 0;
      if (escapes && c == '\\') ++at;
      continue;
    }
    if (!is_long) return at + 1;
    // A long string may end in two quotes of its own before the three that close it.
    if (++closing == 5) return at + 1;
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> stray_character(std::string_view toml) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::size_t at = toml.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < toml.size()) {
    const char c = toml[at];
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
    } else if (c == '"' || c == '\'') {
      at = skip_string(toml, at);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return 1 + static_cast<std::size_t>(std::ranges::count(toml.substr(0, at), '\n'));
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace tacho
