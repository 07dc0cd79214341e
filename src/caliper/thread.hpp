// Thread: the regions of one thread, with the figures of each and the executions that are running.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "caliper/live_counters.hpp"
#include "caliper/note.hpp"
#include "caliper/paths.hpp"
#include "caliper/record.hpp"
#include "caliper/trace.hpp"

namespace tacho::caliper {

// Where an execution began.
struct BeginPlace {
  // The stack pointer of the caller. Stacks grow down: if a later begin has a higher one, the
  // function that began this execution has probably returned.
  std::uintptr_t stack = 0;
  const void* code = nullptr;  // the return address
};

// How many executions began and ended inside another one.
struct Inner {
  std::uint64_t measured = 0;
  std::uint64_t unmeasured = 0;  // mostly recursive ones
  std::uint64_t ticks = 0;       // of the measured ones, without their cost

  bool any() const noexcept { return (measured | unmeasured) != 0; }
  void add(const Inner& more) noexcept {
    measured += more.measured;
    unmeasured += more.unmeasured;
    ticks += more.ticks;
  }
};

// One execution that is running.
struct Frame {
  Record* record = nullptr;
  std::uint32_t region = 0;
  std::uint32_t path = 0;    // in the thread's Paths; that of the frame below if it is not measured
  bool measured = false;     // it is the outermost of its region, and began after the last fork
  bool counted = false;      // the counters were read at its begin, too
  std::uint16_t turn = 0;    // how often regions had been turned on or off
  Inner inner{};             // executions inside it
  std::uint64_t ticks = 0;   // at its begin, plus `paused`
  std::uint64_t paused = 0;  // what the library did for itself meanwhile, in ticks
  BeginPlace place;
};

// The cost of measuring an empty region, in one quantity.
struct OwnCost {
  std::uint64_t inside = 0;   // between the two readings: subtracted from each execution
  std::uint64_t outside = 0;  // the whole cost: subtracted from the region around it
  // The whole cost of an execution that reads no counters and is not measured, as recursive ones.
  std::uint64_t unmeasured = 0;

  std::uint64_t of(const Inner& inner) const noexcept {
    return inner.measured * outside + inner.unmeasured * unmeasured;
  }
};

// An event that the thread counts.
struct Counted {
  std::uint32_t event = 0;  // index in CountingPlan::events
  OwnCost cost;
};

struct Thread {
  static constexpr std::size_t kMaxDepth = 64;

  // By the number of the region, in `room`. Null for number 0, which is no region, and for regions
  // that this thread has not executed. The owning thread enlarges the table under the registry's
  // lock, under which reports read it.
  Record** records = nullptr;
  std::uint32_t size = 0;
  std::uint32_t depth = 0;  // of running regions, also of those that are too deep
  // Frames from `depth` on are those of executions that have ended. They show where code has begun
  // regions (left_open.hpp).
  std::array<Frame, kMaxDepth> frames{};
  OwnCost cost;  // in ticks

  std::unique_ptr<LiveCounters> live;  // null if no events are counted
  struct Free {
    void operator()(Snapshot* snapshots) const noexcept { std::free(snapshots); }
  };
  std::unique_ptr<Snapshot[], Free> starts;  // by depth
  std::unique_ptr<Paths> paths;              // as long as there are records
  std::unique_ptr<Trace> trace;              // null if the environment asks for none
  std::vector<Counted> counted;

  bool forked = false;          // the counters belong to the parent process
  std::uint32_t real_size = 0;  // the size of the table while `forked`, when `size` is 0

  Count64 too_deep;
  RecordRoom room;
  RecordRoom room_of_notes;
  Notes notes;

  Thread() = default;
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
};

// The Thread of a thread before its first region and after its end. It has no records, and all
// threads share it, so none writes to it.
extern Thread no_thread;

// The Thread of the calling thread. The TLS model avoids a call for each access. A pointer fits
// into the space that glibc reserves for libraries loaded by dlopen().
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Thread* this_thread;

}  // namespace tacho::caliper
