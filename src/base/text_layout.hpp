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
std::string paragraph(std::string_view first, std::string_view text, std::size_t width = 80);

// The text in at most `width` columns (at least 1): its beginning and "…".
std::string cut_to(const std::string& text, std::size_t width);
// The same for a name (at least 3 columns): its middle is left out, "std::ve…_back".
std::string shortened(std::string_view name, std::size_t width);

// Rows of cells as lines. Each line starts with `indent`; columns are two spaces apart. `sides` has
// a character for each column: '<' aligns words to the left, '>' aligns figures to the right. 'n'
// is for names and 'w' for words that may be shortened or cut, the longest first, so that lines
// have at most `width` columns (0: no limit); such a cell keeps 14 columns. A row may have fewer
// cells. Lines do not end in spaces.
using Cells = std::vector<std::string>;
std::string aligned(const std::vector<Cells>& rows, std::string_view sides, std::string_view indent,
                    std::size_t width = 0);

// Leaves columns out of a table, in the order of `least_needed`, until lines of `width` have room
// for 28 columns of each name. Columns that belong together are left out together. The first row
// has the titles; of several with one title, the first column is meant. Returns the titles of those
// that were left out.
std::vector<std::string> leave_columns_out(
    std::vector<Cells>& rows, std::string& sides, std::string_view indent, std::size_t width,
    const std::vector<std::vector<std::string_view>>& least_needed);

}  // namespace tacho
