// Text that may be longer than a terminal.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Whether standard output is a terminal that shows colours (NO_COLOR and TERM=dumb say no).
bool shows_colour();

// To standard output: on a terminal through $PAGER ("less -RF" when it is not set; empty or "cat":
// none). A pager that can't be run costs nothing: the text is printed.
Result<void> show(std::string_view text);

}  // namespace tacho
