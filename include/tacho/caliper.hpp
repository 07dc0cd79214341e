// Regions: named parts of a program's own code. Each execution of a region is measured. C++17 or
// later.
//
//   void Table::insert(Row row) {
//     TACHO_REGION("insert");
//     ...
//   }
//
// TACHO_REGION measures from there to the end of the scope: one execution of the region. Each
// thread keeps its own figures. A report adds them up: see report.hpp, or set TACHO_REGIONS=text in
// the environment, which prints a report when the program ends. docs/reference/regions.md describes
// each figure and the cost of each call.
//
// Regions are off until something turns them on: TACHO_REGIONS in the environment, `tacho stat
// --regions`, regions_on(), or `tacho regions -p PID on` while the program runs. A region that is
// off costs one load and a branch.
//
// - Regions with the same name are one region, wherever they are in the source.
// - A nested region is part of the region around it. The cost of measuring it is subtracted there.
// - If a region begins again inside itself (recursion), the outermost execution is measured. The
//   inner ones are counted as `recursions`.
// - With -DTACHO_OFF, TACHO_REGION compiles to nothing: no code, no data, no library.
//
// Threads: any thread may use everything here. A region ends in the thread that began it. Regions
// are also measured in destructors of thread_local and global objects, and in handlers of atexit().
// Signals: begin and end are not async-signal-safe. A signal handler that interrupts one of them
// must not begin a region.
// fork(): the child's figures start at zero. An execution that was open at the fork is not measured
// in the child. The library does not notice _Fork() and clone().
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacho/counters.hpp"
#include "tacho/error.hpp"

#pragma GCC visibility push(default)
namespace tacho {
inline namespace v0 {

// For the inline functions below. The switch is the same word in C (tacho.h).
namespace detail {
extern "C" std::uint32_t tacho_regions_state;
inline constexpr std::uint32_t kOn = 1;
inline constexpr std::uint32_t kWasOn = 2;
inline constexpr std::uint32_t kRequests = 0xff00;  // of another process
inline constexpr std::uint32_t kBeginMask = kOn | kRequests;
[[gnu::always_inline]] inline std::uint32_t regions_state() noexcept {
  return __atomic_load_n(&tacho_regions_state, __ATOMIC_RELAXED);
}
}  // namespace detail

// Turn the regions of all threads on and off. An execution is measured if regions are on from its
// begin to its end; all others leave no trace in a report. Figures are kept while regions are off.
// Thread-safe and async-signal-safe.
void regions_on() noexcept;
void regions_off() noexcept;
[[nodiscard]] bool regions_are_on() noexcept;

// The place of a region in the source. It must live as long as it is used: make it static. The name
// may contain any bytes. It must live until the first execution while regions are on, which copies
// it.
class RegionSite {
 public:
  constexpr explicit RegionSite(std::string_view name) noexcept : name_(name) {}
  RegionSite(const RegionSite&) = delete;
  RegionSite& operator=(const RegionSite&) = delete;

  // Begin and end one execution in the calling thread. For code that cannot use a scope.
  //
  // Regions end in the opposite order of their begins. These faults do no harm, and a report counts
  // them:
  // - An end without a begin does nothing (RegionReport::unmatched).
  // - An end below other open regions ends those too. They are not measured
  //   (RegionFigures::unfinished).
  // - A region that has no end (longjmp, a forgotten end) is left open. It is dropped when it
  //   begins again and the function that began it has returned, or when an outer region ends
  //   (RegionFigures::unfinished).
  // - Regions can be nested 64 deep. A deeper one is not measured (RegionReport::too_deep).
  // - Without memory for its figures, an execution is not measured (RegionReport::no_memory).
  //
  // The first execution of a region in a thread allocates memory. The first region of a thread also
  // opens the thread's counters.
  [[gnu::always_inline]] void begin() noexcept {
    if ((detail::regions_state() & detail::kBeginMask) != 0) begin_now();
  }
  [[gnu::always_inline]] void end() noexcept {
    if (detail::regions_state() != 0) end_now();
  }

 private:
  friend class Region;
  void begin_now() noexcept;
  void end_now() noexcept;

  std::string_view name_;
  std::atomic<std::uint32_t> number_{0};  // 0: not known yet
};

// The place of a region whose name is made at run time: the same one for the same name, until the
// process ends. It copies the name and takes a lock, so call it once for each region:
//   RegionSite& site = region_named("shard " + std::to_string(number));
//   ...
//   const Region region(site);
// Throws std::bad_alloc.
[[nodiscard]] RegionSite& region_named(std::string_view name);

// One execution: it begins with the object and ends with it, however the scope is left.
class Region {
 public:
  [[nodiscard, gnu::always_inline]] explicit Region(RegionSite& site) noexcept {
    if ((detail::regions_state() & detail::kBeginMask) == 0) return;
    site_ = &site;
    site.begin_now();
  }
  [[gnu::always_inline]] ~Region() {
    if (site_ != nullptr) site_->end_now();
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  RegionSite* site_ = nullptr;  // null if regions were off at the begin
};

namespace detail {
void note_now(std::string_view name, std::uint64_t value) noexcept;
}

// Gives the execution that runs in the calling thread a value of the program's own, such as the
// bytes that it worked on: note("bytes", size). It belongs to the innermost region only. Several
// values of one name and execution add up. A report has their figures over the executions that have
// one, and their rates: per second of the region, and each event per unit.
//
// It does nothing outside of regions, while they are off, and if memory runs out. The first note of
// a name in a region and thread allocates; later ones compare the name with those that the region
// has. With -DTACHO_OFF it compiles to nothing.
[[gnu::always_inline]] inline void note([[maybe_unused]] std::string_view name,
                                        [[maybe_unused]] std::uint64_t value) noexcept {
#ifndef TACHO_OFF
  if ((detail::regions_state() & detail::kOn) != 0) detail::note_now(name, value);
#endif
}

// Chooses the events that every region counts, beside its ticks. Without this call, regions count
// no events. Names are those of Counters::open. If the environment variable TACHO_REGIONS_EVENTS
// is set (instructions,page-faults), it replaces `events`. It does not turn regions on.
//
// Call it once, before the first region begins. A later call changes nothing and returns one error
// with the code EBUSY.
// Returns one error for each event that cannot be counted. All other events are counted. Each
// thread opens its own counters, so an event can be missing in one thread only (too many open
// files). Quantity::executions says in how many executions an event was counted.
[[nodiscard]] std::vector<Error> count_in_regions(const std::vector<std::string>& events);

// The same, of the calling threads alone or with what they start: see CountScope in counters.hpp.
// With children, a region counts what its thread and all threads and processes do that this thread
// started after its first region; also what they do for other regions at the same time. So begin a
// region before the pool of threads that works for it. A pool that was there before is not counted.
// If the environment variable TACHO_REGIONS_SCOPE is set (thread or children), it replaces `scope`.
[[nodiscard]] std::vector<Error> count_in_regions(const std::vector<std::string>& events,
                                                  CountScope scope);

}  // namespace v0
}  // namespace tacho
#pragma GCC visibility pop

// TACHO_REGION("name"); measures from here to the end of the scope. The name must be a literal,
// because a place in the source has one name. For a name that is made at run time, see
// region_named().
//
// TACHO_FUNCTION_REGION(); measures the function that it is in, under its name with its class and
// the types of its parameters: "void Table::insert(Row)".
#ifdef TACHO_OFF
#define TACHO_REGION(name) static_assert(true)
#define TACHO_FUNCTION_REGION() static_assert(true)
#else
#define TACHO_FUNCTION_REGION() TACHO_DETAIL_REGION(__PRETTY_FUNCTION__, __COUNTER__)
#define TACHO_REGION(name) TACHO_DETAIL_REGION("" name, __COUNTER__)
#define TACHO_DETAIL_REGION(name, number) TACHO_DETAIL_NUMBERED(name, number)
#define TACHO_DETAIL_NUMBERED(name, number)                                    \
  static TACHO_DETAIL_CONSTINIT ::tacho::RegionSite tacho_site_##number{name}; \
  const ::tacho::Region tacho_region_##number(tacho_site_##number)
// Without it, GCC guards the construction of each site, at each execution.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 10
#define TACHO_DETAIL_CONSTINIT __constinit
#else
#define TACHO_DETAIL_CONSTINIT
#endif
#endif
