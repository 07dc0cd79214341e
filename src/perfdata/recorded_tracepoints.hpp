// Reads the formats of tracepoints from TRACING_DATA: a copy of files of tracefs, in the format of
// trace-cmd (tools/perf/util/trace-event-read.c of Linux). Old streams have the names of
// tracepoints nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

struct RecordedTracepoint {
  std::string_view system, name;  // "sched", "sched_switch"
  std::string_view format;        // the text of the file `format`
};

// By the id of the tracepoint, which is the config of its event. They point into the data. If the
// data are damaged, those before the damage.
std::map<std::uint64_t, RecordedTracepoint> recorded_tracepoints(Bytes data);

// Where a sample's raw data have a field of the tracepoint.
struct TracepointField {
  std::size_t offset = 0, size = 0;  // in bytes
};
std::optional<TracepointField> tracepoint_field(std::string_view format, std::string_view name);

}  // namespace tacho::perfdata
