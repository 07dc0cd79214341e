// Lines and columns: padding, paragraphs, and text that a terminal can show safely.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacho {

// The text filled up with spaces to `width` columns: on its left (numbers) or its right (words).
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

// The text without anything that a terminal would obey: control characters and bytes that are not
// UTF-8 become \xNN. What is longer than `limit` characters ends in "…".
std::string printable(std::string_view text, std::size_t limit = 200);

// The text broken between words into lines of at most `width` columns (a longer word gets a line
// of its own). The first line starts with `first`, the others with as many spaces. Ends in a
// newline.
std::string paragraph(std::string_view first, std::string_view text, std::size_t width = 100);

}  // namespace tacho
