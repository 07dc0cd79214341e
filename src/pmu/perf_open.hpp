// The system call under every perf_event counter, and what its refusals mean.
#pragma once

#include <sys/types.h>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct PerfOpen {
  pid_t pid = 0;    // 0: the calling thread; -1: whatever runs on `cpu`
  int cpu = -1;     // -1: any
  int leader = -1;  // descriptor of the group's leader; -1 opens a leader
  Start start = Start::stopped;
  bool inherit = true;
  bool reads_group = false;  // a sibling, too, is read as { nr, times, values }; leaders always are
};

// Opens one counter. The error says what the errno means for this event on this machine; the event
// it is about is for the caller to name.
Result<Fd> perf_open(const Event& event, const PerfOpen& how);

// kernel.perf_event_paranoid, or -1 when the kernel has none (that is also its most open value).
int perf_event_paranoid();

}  // namespace tacho
