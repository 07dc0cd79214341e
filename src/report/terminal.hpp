// The terminal that a descriptor is, if it is one, and the style of reports that it shows.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/number.hpp"

namespace tacho {

// Whether it shows colours. NO_COLOR and TERM=dumb turn them off.
bool shows_colour(int descriptor = STDOUT_FILENO);

// Its columns; 0 if it is none, or says nothing.
std::size_t terminal_columns(int descriptor = STDOUT_FILENO);

// Style of a text. Colours are for terminals only.
struct TextStyle {
  NumberStyle numbers;
  bool colour = false;
  std::size_t width = 0;  // columns of the terminal; 0: lines are not cut
};

// The style of a report for standard output, or for the file if it has a name. With full names, and
// where standard output is no terminal, lines may have any width.
TextStyle report_style(const std::string& file, bool full_names);

// Of a table that leaves columns out (base/text_layout.hpp): " (no room for: samples, module;
// --full-names shows all)". Empty if it leaves out none.
std::string left_out_note(const std::vector<std::string>& columns);

}  // namespace tacho
