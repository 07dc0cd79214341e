// The terminal that a descriptor is, if it is one.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace tacho {

// Whether it shows colours. NO_COLOR and TERM=dumb turn them off.
bool shows_colour(int descriptor = STDOUT_FILENO);

// Its columns; 0 if it is none, or says nothing.
std::size_t terminal_columns(int descriptor = STDOUT_FILENO);

}  // namespace tacho
