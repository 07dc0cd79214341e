// The names that perf gives to events of which a recording tells none.
#pragma once

#include <string>

#include "perfdata/record.hpp"

namespace tacho::perfdata {

// "cycles:u", "L1-dcache-load-misses", "raw 0x1a2"; "" for what no generic name belongs to.
std::string generic_name(const RecordedEvent& event);

}  // namespace tacho::perfdata
