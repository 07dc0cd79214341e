// Which rows of an annotation a text shows: the hottest lines and instructions, and those around
// them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "profile/annotation.hpp"

namespace tacho {

// Rows of one kind, as indices, in the order in which they are shown.
struct ShownRows {
  std::vector<std::size_t> rows;
  std::size_t left_out = 0;
  double left_out_share = 0;  // of the chosen event
};

// The parts that are hot: of each event, the hottest ones until they have nine tenths of its
// samples in the function. So a part that is hot for any event is shown.
std::vector<bool> hot_parts(std::span<const AnnotatedCount* const> parts, std::size_t events);

// Files of the program before headers of the compiler and the system, the file with the most
// samples first; in a file by number. With `all` every line, else the hot ones and those near to
// them.
ShownRows shown_lines(const Annotation&, bool all);
// By address.
ShownRows shown_instructions(const Annotation&, bool all);

// Whether a source file belongs to a compiler, to the system or to a library.
bool is_foreign_source(std::string_view file);

}  // namespace tacho
