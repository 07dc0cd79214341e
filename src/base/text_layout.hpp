// Lines and columns: padding, paragraphs, and text that a terminal can show safely.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// The text filled up with spaces to `width` columns: on its left (numbers) or its right (words).
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

// The text without anything that a terminal would obey: control characters and bytes that are not
// UTF-8 become \xNN. What is longer than `limit` characters ends in "…".
std::string printable(std::string_view text, std::size_t limit = 200);
// The same for any bytes whole, and so that they can be had back: \ becomes \\.
std::string escaped(std::string_view bytes);

// The text broken between words into lines of at most `width` columns (a longer word gets a line
// of its own). The first line starts with `first`, the others with as many spaces. Ends in a
// newline.
std::string paragraph(std::string_view first, std::string_view text, std::size_t width = 100);

// Rows of cells as lines, each of which starts with `indent`, their columns two spaces apart.
// `sides` has a character for each column: '<' for words, which stand at its left, '>' for figures,
// at its right. A row may have fewer cells. Lines don't end in spaces.
using Cells = std::vector<std::string>;
std::string aligned(const std::vector<Cells>& rows, std::string_view sides,
                    std::string_view indent);

}  // namespace tacho
