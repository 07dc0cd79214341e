#include "base/shell_line.hpp"

#include <algorithm>
#include <string_view>

namespace tacho {
namespace {

// A quote in a word ends the quotes, is quoted itself, and begins them again.
std::string in_quotes(std::string_view word) {
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string_view(R"('\'')") : std::string_view(&c, 1);
  return text + "'";
}

// Whether the character, inside a word, means only itself to a shell.
bool is_literal(char c) {
  constexpr std::string_view kPlain = "_-+=./:,@%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80) != 0 || kPlain.contains(c);
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && std::ranges::all_of(word, is_literal);
    if (!line.empty()) line += ' ';
    line += plain ? word : in_quotes(word);
  }
  return line;
}

}  // namespace tacho
