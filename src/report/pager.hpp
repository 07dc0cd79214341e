// Prints text that may be longer than a terminal, with a pager.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Whether standard output is a terminal that shows colours. NO_COLOR and TERM=dumb turn them off.
bool shows_colour();

// The columns of the terminal that standard output is; 0 if it is none, or says nothing.
std::size_t terminal_columns();

// Prints to standard output. On a terminal it runs $PAGER, or "less -RF" if that is not set; it
// runs none if $PAGER is empty or "cat". If the pager cannot be run, the text is printed without
// it.
Result<void> show(std::string_view text);

}  // namespace tacho
