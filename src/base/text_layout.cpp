// Padding and wrapping of UTF-8 text.
#include "base/text_layout.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "base/number.hpp"

namespace tacho {
namespace {

std::string spaces(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ');
}

constexpr std::size_t kBetweenCells = 2;   // columns between two cells
constexpr std::size_t kShortestCell = 14;  // columns that a shortened cell keeps
constexpr std::size_t kKeptOfNames = 28;   // columns of a name for which other columns are left out

bool may_be_shortened(char side) {
  return side == 'n' || side == 'w';
}

std::vector<std::size_t> widths_of(const std::vector<Cells>& rows, std::size_t columns) {
  std::vector<std::size_t> widths(columns);
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths.at(i) = std::max(widths.at(i), display_width(row[i]));
  return widths;
}

// Columns of a line with cells of these widths.
std::size_t line_width(const std::vector<std::size_t>& widths, std::string_view indent) {
  std::size_t sum = display_width(indent);
  for (const std::size_t width : widths) sum += width + kBetweenCells;
  return sum - std::min(sum, kBetweenCells);
}

// Makes the widest cells that may be shortened narrower, until a line has `width` columns or each
// of these cells has `kept`.
void narrow(std::vector<std::size_t>& widths, std::string_view sides, std::string_view indent,
            std::size_t width, std::size_t kept = kShortestCell) {
  for (std::size_t line = line_width(widths, indent); line > width; --line) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (may_be_shortened(sides[i]) && widths[i] > kept &&
          (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size()) return;
    --widths[widest];
  }
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

std::string cut_to(const std::string& text, std::size_t width) {
  return display_width(text) <= width ? text : printable(text, width - 1);
}

std::string shortened(std::string_view name, std::size_t width) {
  if (display_width(name) <= width) return std::string(name);
  std::vector<Character> characters;
  for (std::string_view rest = name; !rest.empty();) {
    characters.push_back(first_character(rest));
    rest.remove_prefix(characters.back().bytes.size());
  }
  const std::size_t half = (width - 1) / 2;
  std::string head, tail;
  for (std::size_t i = 0, used = 0; i < characters.size(); ++i) {
    used += columns_of(characters[i].value);
    if (used > width - 1 - half) break;
    head += characters[i].bytes;
  }
  for (std::size_t i = characters.size(), used = 0; i-- > 0;) {
    used += columns_of(characters[i].value);
    if (used > half) break;
    tail.insert(0, characters[i].bytes);
  }
  return head + "…" + tail;
}

std::string aligned(const std::vector<Cells>& rows, std::string_view sides, std::string_view indent,
                    std::size_t width) {
  std::vector<Cells> table = rows;
  for (Cells& row : table) std::ranges::transform(row, row.begin(), without_line_ends);
  std::vector<std::size_t> widths = widths_of(table, sides.size());
  if (width > 0) narrow(widths, sides, indent, width);
  std::string text;
  for (const Cells& row : table) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line.append(kBetweenCells, ' ');
      const std::string cell = sides[i] == 'n'   ? shortened(row[i], widths[i])
                               : sides[i] == 'w' ? cut_to(row[i], widths[i])
                                                 : row[i];
      line += sides[i] == '>' ? pad_left(cell, widths[i]) : pad_right(cell, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::vector<std::string> leave_columns_out(
    std::vector<Cells>& rows, std::string& sides, std::string_view indent, std::size_t width,
    const std::vector<std::vector<std::string_view>>& least_needed) {
  std::vector<std::string> left_out;
  for (const std::vector<std::string_view>& titles : least_needed) {
    std::vector<std::size_t> widths = widths_of(rows, sides.size());
    narrow(widths, sides, indent, width, kKeptOfNames);
    if (width == 0 || line_width(widths, indent) <= width) break;
    for (const std::string_view title : titles) {
      const auto at = std::ranges::find(rows.front(), title) - rows.front().begin();
      if (at == std::ssize(rows.front())) continue;
      left_out.push_back(rows.front()[static_cast<std::size_t>(at)]);
      for (Cells& row : rows)
        if (at < std::ssize(row)) row.erase(row.begin() + at);
      sides.erase(static_cast<std::size_t>(at), 1);
    }
  }
  return left_out;
}

}  // namespace tacho
