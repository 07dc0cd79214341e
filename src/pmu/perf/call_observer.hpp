// The seam at which all calls to perf_event_open(2) and all readings of counters can be watched:
// tacho doctor --trace writes them to a file.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tacho {

// One call to perf_event_open(2) and its answer.
struct PerfOpening {
  std::span<const std::byte> attributes;  // struct perf_event_attr, as long as it says itself
  pid_t pid = 0;
  int cpu = -1;
  int group = -1;
  unsigned long flags = 0;
  int fd = -1;   // -1: refused
  int code = 0;  // errno, if it was refused
};

// One read(2) of a counter or a group and its answer.
struct PerfReading {
  int fd = -1;
  std::span<const std::uint64_t> words;  // as the kernel wrote them; empty at the end of file
  int code = 0;                          // errno, if it failed
};

struct PerfObserver {
  virtual ~PerfObserver() = default;
  virtual void opened(const PerfOpening&) = 0;
  virtual void read(const PerfReading&) = 0;
};

// Has the observer get all later calls of this process; null: nobody gets them. Not thread-safe: to
// be set while one thread counts. A thread's own readings (self_group.hpp) have no time for
// observers.
void observe_perf_calls(PerfObserver* observer);

// For the places that call the kernel; null if nobody observes.
PerfObserver* perf_observer();

// The call as one JSON object on a line of its own (docs/reference/formats.md, "Trace of perf
// calls").
std::string trace_line(const PerfOpening&);
std::string trace_line(const PerfReading&);

}  // namespace tacho
