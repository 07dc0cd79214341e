// What instrumented programs tell tacho of their regions: a line of JSON a process, as the
// library's to_json writes it.
#pragma once

#include <string_view>

#include "regions/regions.hpp"

namespace tacho {

// The programs' lines are as little to be trusted as the programs: what is no such line is counted
// and left out, and so is a last line without its end.
Regions read_regions(std::string_view lines);

}  // namespace tacho
