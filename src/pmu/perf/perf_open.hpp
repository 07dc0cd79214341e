// Opens perf_event counters, and explains the errors of that system call.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

// The contents of a sampled event's records (docs/reference/recording.md).
struct PerfSampling {
  SampleSpec spec;
  bool tracks = false;        // also records mappings, names, forks and exits; one event does so
  bool identified = false;    // each record begins with its event's id: there are several events
  bool tells_cpu = false;     // records the CPU
  bool build_ids = true;      // records build IDs in mappings; needs Linux 5.12
  bool marks_exec = true;     // records whether a name comes from exec; needs Linux 3.16
  bool maps_inodes = true;    // records a mapping's inode and protection; needs Linux 3.16
  bool has_fields = true;     // of a tracepoint: samples have its fields, if the user may see them
  bool counts_group = false;  // samples have the counts of all events of the group
  bool is_member = false;     // takes no samples: those of the group's leader have its counts
  bool has_return_address = true;  // chains of frame pointers need it (add_return_address)
  bool tells_period = false;       // records the period even if it is the same for all samples
  std::uint32_t wakes_at = 0;      // bytes in the buffer that wake its reader; 0: half of it
};

struct PerfOpen {
  pid_t pid = 0;        // 0: the calling thread; -1: everything that runs on `cpu`
  bool cgroup = false;  // `pid` is a descriptor of a control group's directory
  int cpu = -1;         // -1: any CPU
  int leader = -1;      // descriptor of the group's leader; -1: opens a leader
  Start start = Start::stopped;
  bool inherit = true;
  bool reads_group = false;  // a sibling is read as { nr, times, values }, as leaders always are
  bool user_reads = false;   // requests that user space can read the register
  std::optional<PerfSampling> sampling = std::nullopt;
};

// Opens one counter. The error explains the errno for this event on this machine. It does not name
// the event; the caller adds that.
Result<Fd> perf_open(const Event& event, const PerfOpen& how);

// The struct perf_event_attr that perf_open() passes to the kernel.
std::vector<std::byte> perf_attributes(const Event& event, const PerfOpen& how);

// The error of a refused call: the cause with the name of the errno, and the remedy.
Error refusal(std::string_view cause, std::string remedy, int code);

// kernel.perf_event_paranoid; nothing if it can't be read, for example without /proc.
std::optional<int> perf_event_paranoid();

// The remedy where users without privileges can count at this level only.
std::string paranoid_remedy(int level);

}  // namespace tacho
