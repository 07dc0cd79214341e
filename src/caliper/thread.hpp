// What a thread knows of its own regions: the figures of each, and which are running.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "caliper/live_counters.hpp"
#include "caliper/record.hpp"

namespace tacho::caliper {

// How many executions began and ended inside of another.
struct Inner {
  std::uint64_t measured = 0;
  std::uint64_t unmeasured = 0;  // recursive ones, for the most part

  bool any() const noexcept { return (measured | unmeasured) != 0; }
};

struct Frame {
  Record* record = nullptr;
  std::uint32_t region = 0;
  bool measured = false;    // the outermost execution of its region, and not from before a fork
  bool counted = false;     // its begin was read by the counters, too
  Inner inner{};            // executions inside of it
  std::uint64_t ticks = 0;  // at its begin
};

// What measuring an empty region costs, of one quantity.
struct OwnCost {
  std::uint64_t inside = 0;   // between its two readings: taken off each execution
  std::uint64_t outside = 0;  // all in all: taken off the region around it
  // All in all, of an execution that is not measured, as recursive ones are: no counter is read.
  std::uint64_t unmeasured = 0;

  std::uint64_t of(const Inner& inner) const noexcept {
    return inner.measured * outside + inner.unmeasured * unmeasured;
  }
};

// An event that the thread counts.
struct Counted {
  std::uint32_t event = 0;  // its place
  OwnCost cost;
};

struct Thread {
  static constexpr std::size_t kDeepest = 64;

  // By the region's number; 0 is no region, and so are those that this thread has not run yet. The
  // table grows in the owning thread under the registry's lock, where reports read it.
  Record** records = nullptr;
  std::uint32_t size = 0;
  std::uint32_t depth = 0;  // of running regions, those that are too deep included
  std::array<Frame, kDeepest> frames{};
  OwnCost cost;  // of ticks

  std::unique_ptr<LiveCounters> live;  // null: the clock alone
  std::unique_ptr<Snapshot[]> starts;  // by depth
  std::vector<Counted> counted;

  bool forked = false;          // its counters are its parent process's
  std::uint32_t real_size = 0;  // while `size` is 0 because of that

  Count64 too_deep;

  Thread() = default;
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
};

// The calling thread's. Before its first region and after its end it has one with no records, which
// is nobody's to write to. The model keeps the access free of a call; a pointer fits into what
// glibc keeps for libraries that are loaded late.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Thread* this_thread;

// Makes the calling thread ready to run the region: its own Thread, and a Record of the region in
// it if there is memory for one. Null when nothing can be measured: the thread is ending, or there
// is no such region.
Thread* prepare(std::uint32_t region) noexcept;

// An execution that begins where there is no memory to measure it in, and leaves no frame.
void begin_unmeasured() noexcept;
// An end that no running region of the calling thread goes with.
void end_unmatched() noexcept;

// One execution of a region in the calling thread, by the region's number; 0 does nothing. `now` is
// the clock, read as the first thing at the end.
void begin(std::uint32_t region) noexcept;
void end(std::uint32_t region, std::uint64_t now) noexcept;

}  // namespace tacho::caliper
