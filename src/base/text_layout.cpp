// Padding, wrapping and escaping of UTF-8 text.
#include "base/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/number.hpp"

namespace tacho {
namespace {

// Returns the bytes of the well-formed UTF-8 character at the start of the text, or 0 if there is
// none (The Unicode Standard, table 3-7; the value is checked for its stricter rules).
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t size = 2;
  std::uint32_t least = 0x80;  // the least value that needs so many bytes
  if (lead >= 0xF0) {
    size = 4;
    least = 0x10000;
  } else if (lead >= 0xE0) {
    size = 3;
    least = 0x800;
  }
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  std::uint32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < least || value > 0x10FFFF || surrogate ? 0 : size;
}

bool is_control(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead < 0x20 || lead == 0x7F;
  return lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;  // C1 controls
}

std::string spaces(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ');
}

std::string hexadecimal(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result;
}

// The character at the start of a text, or one byte that belongs to no character.
struct Front {
  std::string_view bytes;
  bool harmless;  // a character that is not a control character
};

// Removes it from the text.
Front take_front(std::string_view& text) {
  const std::size_t size = character_size(text);
  const std::string_view bytes = text.substr(0, std::max<std::size_t>(size, 1));
  text.remove_prefix(bytes.size());
  return {bytes, size != 0 && !is_control(bytes)};
}

}  // namespace

std::string pad_left(std::string_view text, std::size_t width) {
  return spaces(text, width).append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  return std::string(text) + spaces(text, width);
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == limit) return result + "…";
    const auto [bytes, harmless] = take_front(text);
    result += harmless ? std::string(bytes) : hexadecimal(bytes);
  }
  return result;
}

std::string escaped(std::string_view bytes) {
  std::string result;
  while (!bytes.empty()) {
    const auto [front, harmless] = take_front(bytes);
    if (!harmless)
      result += hexadecimal(front);
    else if (front == "\\")
      result += "\\\\";
    else
      result += front;
  }
  return result;
}

std::string paragraph(std::string_view first, std::string_view text, std::size_t width) {
  const std::size_t indent = display_width(first);
  std::string result(first);
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t size = display_width(word);
    if (column > indent && column + 1 + size > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += size;
  }
  return result + '\n';
}

std::string aligned(const std::vector<Cells>& rows, std::string_view sides,
                    std::string_view indent) {
  std::vector<std::size_t> widths(sides.size());
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths.at(i) = std::max(widths.at(i), display_width(row[i]));
  std::string text;
  for (const Cells& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += sides[i] == '<' ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace tacho
