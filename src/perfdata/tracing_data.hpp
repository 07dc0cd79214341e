// Encodes TRACING_DATA: the formats of tracepoints, without which perf opens no recording that has
// any. The layout is that of trace-cmd's files, version 6 without records (trace-cmd.dat.v6(5)).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tacho::perfdata {

// Texts of tracefs.
struct TracingFormats {
  std::string header_page;   // of events/header_page; may be empty
  std::string header_event;  // of events/header_event; may be empty
  struct Tracepoint {
    std::string system;  // the folder in events, such as "sched"
    std::string format;  // of events/SYSTEM/NAME/format
  };
  std::vector<Tracepoint> tracepoints;
};

// Empty if there are no tracepoints.
std::vector<std::byte> encode_tracing_data(const TracingFormats& formats);

// The bytes as a stream has them: a TRACING_DATA record, and then the data, which the size of the
// record does not include.
std::vector<std::byte> as_stream_record(const std::vector<std::byte>& tracing_data);

}  // namespace tacho::perfdata
