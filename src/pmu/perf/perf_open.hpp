// The system call under every perf_event counter, and what its refusals mean.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

// What a sampled event records (docs/reference/recording.md).
struct PerfSampling {
  SampleSpec spec;
  bool tracks = false;      // the one that also records mappings, names, forks and exits
  bool identified = false;  // each record begins with its event's id: there are several
  bool tells_cpu = false;
  bool build_ids = true;      // in mappings, as kernels from 5.12 on can
  bool tells_period = false;  // where it is the same for all, too
};

struct PerfOpen {
  pid_t pid = 0;    // 0: the calling thread; -1: whatever runs on `cpu`
  int cpu = -1;     // -1: any
  int leader = -1;  // descriptor of the group's leader; -1 opens a leader
  Start start = Start::stopped;
  bool inherit = true;
  bool reads_group = false;  // a sibling, too, is read as { nr, times, values }; leaders always are
  bool user_reads = false;   // user space may read its register, where the kernel allows that
  std::optional<PerfSampling> sampling = std::nullopt;
};

// Opens one counter. The error says what the errno means for this event on this machine; the event
// it is about is for the caller to name.
Result<Fd> perf_open(const Event& event, const PerfOpen& how);

// The struct perf_event_attr that perf_open() asks with.
std::vector<std::byte> perf_attributes(const Event& event, const PerfOpen& how);

// Whether user space may read the event's counter without a system call: the kernel's own switch is
// on, and the counter's page allows it. An error when the event does not open on this thread.
Result<bool> user_space_may_read(const Event& event);

// kernel.perf_event_paranoid; none when it can't be read, as without /proc.
std::optional<int> perf_event_paranoid();

}  // namespace tacho
