#include "base/safe_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/characters.hpp"

namespace tacho {
namespace {

constexpr std::uint32_t kAscii = 0x80;        // values below are one byte
constexpr std::uint32_t kShortest = 0x10000;  // values below have four hexadecimal digits

bool is_shown(const Character& character) {
  return character.value != Character::kNone && !is_invisible(character.value);
}

std::string spelled(const Character& character) {
  if (character.value == Character::kNone || character.value < kAscii)
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(character.bytes[0]));
  if (character.value < kShortest) return fmt::format("\\u{:04x}", character.value);
  return fmt::format("\\U{:08x}", character.value);
}

Character take_first(std::string_view& text) {
  const Character character = first_character(text);
  text.remove_prefix(character.bytes.size());
  return character;
}

// Values above U+FFFF are two surrogates.
std::string spelled_in_json(std::uint32_t value) {
  if (value < kShortest) return fmt::format("\\u{:04x}", value);
  const std::uint32_t rest = value - kShortest;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

// The signs of a formula. Their wide forms count as well where people type those.
bool begins_formula(std::uint32_t value) {
  constexpr std::u32string_view kSigns = U"=+-@\uFF1D\uFF0B\uFF0D\uFF20";
  return kSigns.contains(static_cast<char32_t>(value));
}

// The bytes of a colour at the start of a text; 0 if there is none.
std::size_t colour_size(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  for (std::size_t shown = 0; !text.empty();) {
    const std::size_t plain = std::min(plain_bytes(text), limit - shown);
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    shown += plain;
    if (text.empty()) break;
    const Character character = take_first(text);
    const bool as_it_is = is_shown(character);
    const std::string word = as_it_is ? std::string(character.bytes) : spelled(character);
    const std::size_t columns =
        as_it_is ? std::max<std::size_t>(columns_of(character.value), 1) : word.size();
    if (columns > limit - shown) return result + "…";
    result += word;
    shown += columns;
  }
  return result;
}

std::string escaped(std::string_view bytes) {
  std::string result;
  while (!bytes.empty()) {
    const Character character = take_first(bytes);
    if (!is_shown(character))
      result += spelled(character);
    else if (character.bytes == "\\")
      result += "\\\\";
    else
      result += character.bytes;
  }
  return result;
}

std::string json_spelled(std::string json) {
  std::string result;
  for (std::size_t at = 0, copied = 0;;) {
    at += plain_bytes(json, at);
    if (at == json.size()) return result.empty() ? std::move(json) : result + json.substr(copied);
    const Character character = first_character(std::string_view(json).substr(at));
    if (character.value != '\n' && is_invisible(character.value)) {
      result.append(json, copied, at - copied);
      result += spelled_in_json(character.value);
      copied = at + character.bytes.size();
    }
    at += character.bytes.size();
  }
}

std::string csv_cell(std::string_view raw) {
  std::string text = printable(raw, raw.npos);
  std::string cell;
  bool begins = true;
  for (std::string_view left = text; !left.empty();) {
    const Character character = take_first(left);
    if (begins && begins_formula(character.value))
      cell += spelled(character);
    else
      cell += character.bytes == "\"" ? "\"\"" : character.bytes;
    begins = character.bytes == ";";
  }
  return text.find_first_of(",\"") == text.npos ? cell : '"' + cell + '"';
}

std::string printable_lines(std::string_view text, Colours colours) {
  std::string result;
  while (!text.empty()) {
    std::size_t kept = plain_bytes(text);
    if (kept < text.size() && (text[kept] == '\n' || text[kept] == '\t')) ++kept;
    if (kept == 0 && colours == Colours::kept) kept = colour_size(text);
    result += text.substr(0, kept);
    text.remove_prefix(kept);
    if (kept > 0) continue;
    const Character character = take_first(text);
    result += is_shown(character) ? std::string(character.bytes) : spelled(character);
  }
  return result;
}

}  // namespace tacho
