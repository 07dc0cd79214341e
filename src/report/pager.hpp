// Prints text that may be longer than a terminal, with a pager.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Prints to standard output. On a terminal it runs $PAGER, or "less -RF" if that is not set; it
// runs none if $PAGER is empty or "cat". If the pager cannot be run, the text is printed without
// it.
Result<void> show(std::string_view text);

}  // namespace tacho
