// Writes the executions of this process to a file that viewers of time lines open: Perfetto, the
// Firefox Profiler, speedscope, Chrome.
#pragma once

#include "base/result.hpp"
#include "caliper/report_file.hpp"

namespace tacho::caliper {

// Whether there is no other file in place of the trace.
Result<void> check_trace(const char* path);

// Appends the executions to the file, which stays a whole document of JSON. Says on standard error
// how many executions were not kept.
Result<void> write_trace(const ProcessReport& report, ProcessTrace trace, const char* path);

}  // namespace tacho::caliper
