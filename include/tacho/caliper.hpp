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

#include "tacho/error.hpp"

#pragma GCC visibility push(default)
namespace tacho {
inline namespace v0 {

// The place of a region in the source. It must live as long as it is used: make it static. The name
// may contain any bytes. It must live until the first execution, which copies it.
class RegionSite {
 public:
  constexpr explicit RegionSite(std::string_view name) noexcept : name_(name) {}
  RegionSite(const RegionSite&) = delete;
  RegionSite& operator=(const RegionSite&) = delete;

  // Begin and end one execution in the calling thread. For code that cannot use a scope; Region
  // calls them where it can.
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
  void begin() noexcept;
  void end() noexcept;

 private:
  std::string_view name_;
  std::atomic<std::uint32_t> number_{0};  // 0: not known yet
};

// One execution: it begins with the object and ends with it, however the scope is left.
class Region {
 public:
  [[nodiscard, gnu::always_inline]] explicit Region(RegionSite& site) noexcept : site_(site) {
    site_.begin();
  }
  [[gnu::always_inline]] ~Region() { site_.end(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  RegionSite& site_;
};

// Chooses the events that every region counts, beside its ticks. Without this call, regions count
// no events. Names are those of Counters::open. If the environment variable TACHO_REGIONS_EVENTS
// is set (instructions,page-faults), it replaces `events`.
//
// Call it once, before the first region begins. A later call changes nothing and returns one error
// with the code EBUSY.
// Returns one error for each event that cannot be counted. All other events are counted. Each
// thread opens its own counters, so an event can be missing in one thread only (too many open
// files). Quantity::executions says in how many executions an event was counted.
[[nodiscard]] std::vector<Error> count_in_regions(const std::vector<std::string>& events);

}  // namespace v0
}  // namespace tacho
#pragma GCC visibility pop

// TACHO_REGION("name"); measures from here to the end of the scope. The name must be a literal,
// because a place in the source has one name. For a name that is made at run time, keep a
// RegionSite.
#ifdef TACHO_OFF
#define TACHO_REGION(name) static_assert(true)
#else
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
