// Names events as perf does if the recording itself has no name for them.
#pragma once

#include <string>

#include "perfdata/record.hpp"

namespace tacho::perfdata {

// Returns for instance "cycles:u", "L1-dcache-load-misses" or "raw 0x1a2". Returns "" if perf has
// no generic name for this event.
std::string generic_name(const RecordedEvent& event);

}  // namespace tacho::perfdata
