// Reads the names of tracepoints from TRACING_DATA: a copy of files of tracefs, in the format of
// trace-cmd (tools/perf/util/trace-event-read.c of Linux). Old streams have the names nowhere else.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

// "sched:sched_switch" by the id of the tracepoint, which is the config of its event. If the data
// are damaged, the names before the damage.
std::map<std::uint64_t, std::string> tracepoint_names(Bytes data);

}  // namespace tacho::perfdata
