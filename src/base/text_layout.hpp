// Lines and columns: padding and paragraphs of text that a terminal can show safely
// (safe_text.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/safe_text.hpp"

namespace tacho {

// The text with spaces added up to `width` columns: before it (numbers) or after it (words).
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

// The text broken between words into lines of at most `width` columns (a longer word gets a line
// of its own). The first line starts with `first`, the others with as many spaces. The result ends
// in a newline.
std::string paragraph(std::string_view first, std::string_view text, std::size_t width = 100);

// Rows of cells as lines. Each line starts with `indent`; columns are two spaces apart. `sides` has
// a character for each column: '<' aligns words to the left, '>' aligns figures to the right. A row
// may have fewer cells. Lines do not end in spaces.
using Cells = std::vector<std::string>;
std::string aligned(const std::vector<Cells>& rows, std::string_view sides,
                    std::string_view indent);

}  // namespace tacho
