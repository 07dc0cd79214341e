// Padding and wrapping of UTF-8 text.
#include "base/text_layout.hpp"

#include <algorithm>

#include "base/number.hpp"

namespace tacho {
namespace {

std::string spaces(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ');
}

// A cell and a paragraph are parts of lines. A line end in one came from data.
std::string without_line_ends(std::string_view text) {
  return text.contains('\n') ? printable(text, text.npos) : std::string(text);
}

}  // namespace

std::string pad_left(std::string_view text, std::size_t width) {
  return spaces(text, width).append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  return std::string(text) + spaces(text, width);
}

std::string paragraph(std::string_view first, std::string_view text, std::size_t width) {
  const std::string line = without_line_ends(text);
  text = line;
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
  std::vector<Cells> table = rows;
  for (Cells& row : table) std::ranges::transform(row, row.begin(), without_line_ends);
  std::vector<std::size_t> widths(sides.size());
  for (const Cells& row : table)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths.at(i) = std::max(widths.at(i), display_width(row[i]));
  std::string text;
  for (const Cells& row : table) {
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
