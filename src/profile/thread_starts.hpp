// What samples cannot show of short threads and processes. The kernel begins a whole sampling
// period with each new thread (inherit_event in kernel/events/core.c). So no sample can fall on
// what the thread does before, and a thread that ends before has no sample at all. If a new thread
// follows its parent on a CPU, the kernel exchanges their counters (perf_event_context_sched_out in
// the same file). Then the period that the parent had begun can end with the new thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/hash_seed.hpp"
#include "perfdata/record.hpp"

namespace tacho {

// Of one event, in its own unit (of a clock: ns).
struct Unsampled {
  std::uint64_t threads = 0;  // that began during the recording
  double starts = 0;  // upper bound of the events before the first period of each had passed, and
                      // of those in the periods that their parents had begun
  double missed = 0;  // the part of `starts` that no sample stands for

  // Upper bound of the share of all events that no sample can show: `sum` is what the samples stand
  // for.
  double share(std::uint64_t sum) const;
};

class ThreadStarts {
 public:
  void begin(std::int32_t tid, std::int32_t parent_tid, std::uint64_t time_ns,
             const perfdata::Description&);
  void end(std::int32_t tid, std::uint64_t time_ns, const perfdata::Description&);
  void sample(std::int32_t tid, std::size_t event, std::uint64_t period);
  // Called after the last record. The threads that still run end at this time, or at the last end
  // or beginning of a thread.
  void finish(std::uint64_t time_ns, const perfdata::Description&);

  // Nothing for events that threads do not inherit.
  Unsampled of(std::size_t event) const {
    return event < unsampled_.size() ? unsampled_[event] : Unsampled();
  }

 private:
  struct Running {
    std::uint64_t begun_ns = 0;
    std::map<std::size_t, std::uint64_t> first;  // by event: the period of its first sample
  };

  void count(const Running&, std::uint64_t ended_ns, const perfdata::Description&);
  // Adds what no sample can show of a stretch of `elapsed_ns`: at most a period. `firsts` has
  // the period by event.
  void add(const std::map<std::size_t, std::uint64_t>& firsts, std::uint64_t elapsed_ns,
           const perfdata::Description&);
  void follow(const perfdata::Description&);

  std::unordered_map<std::int32_t, Running, NumberHash> running_;  // by thread
  std::unordered_map<std::int32_t, std::uint64_t, NumberHash>
      begot_ns_;                        // by thread: when it last began one
  std::uint64_t latest_ns_ = 0;         // time of the last beginning or end
  std::vector<std::uint64_t> longest_;  // by event: its longest period so far
  std::vector<Unsampled> unsampled_;    // by event
  std::vector<std::size_t> followed_;   // events; see follow()
  std::size_t events_seen_ = 0;
};

}  // namespace tacho
