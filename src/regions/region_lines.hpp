// Reads the regions that instrumented programs have appended: a line of JSON for each process, as
// the library's to_json writes it.
#pragma once

#include <string_view>

#include "regions/regions.hpp"

namespace tacho {

// The lines come from other programs and are not trusted. A line that can't be read is counted and
// left out, and so is a last line without a newline.
Regions read_regions(std::string_view lines);

}  // namespace tacho
