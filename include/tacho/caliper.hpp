// Calipers: named regions of one's own program, measured each time they are run through, for some
// tens of nanoseconds. C++17 or later.
//
//   void Table::insert(Row row) {
//     TACHO_REGION("insert");
//     ...
//   }
//
// From there to the end of the scope is one execution of the region. Each thread keeps its own
// figures; a report (report.hpp, or the environment's TACHO_REGIONS=text at the program's end) adds
// them up.
//
// Nested regions count in the outer ones, without the cost of their measuring. Of a region that is
// entered again while it runs (recursion), the outermost execution is measured; the inner ones are
// told as `recursions`. Regions of one name are one region, wherever they stand.
//
// With -DTACHO_OFF, TACHO_REGION compiles to nothing: no code, no data, no library needed.
//
// Threads: everything may be used from any thread. A region ends in the thread that began it. Not
// async-signal-safe: a signal's handler that interrupts a region's begin or end must not begin one.
// Once a thread's destructors of thread_local objects run, its regions are not measured any more.
// After fork() the child starts with figures of its own, from zero, and what was open at the fork
// is not counted in the child. (_Fork and a bare clone are not noticed.)
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacho/error.hpp"

#pragma GCC visibility push(default)
namespace tacho {

// A region's place in the source, to be made static or to live as long as it is used. The name may
// have any bytes; they must live until the first execution, which copies them.
class RegionSite {
 public:
  constexpr explicit RegionSite(std::string_view name) noexcept : name_(name) {}
  RegionSite(const RegionSite&) = delete;
  RegionSite& operator=(const RegionSite&) = delete;

  // Begins and ends one execution in the calling thread: what Region does, for code without scopes.
  // Regions must end in the opposite order of their beginnings. An end that meets another region on
  // top ends those above it too, without counting them; an end without a begin does nothing; a
  // report tells how often either happened. Cost: the clock's, the counters' and some 10 ns. The
  // first execution in a thread allocates, and so does the thread's first of all, which also opens
  // its counters. At most 64 deep: what is nested deeper is not measured, and told in the report.
  void begin() noexcept;
  void end() noexcept;

 private:
  std::string_view name_;
  std::atomic<std::uint32_t> number_{0};  // 0: not known yet
};

// One execution, from its construction to its destruction, whichever way the scope is left.
class Region {
 public:
  explicit Region(RegionSite& site) noexcept : site_(site) { site_.begin(); }
  ~Region() { site_.end(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  RegionSite& site_;
};

// Which events every region counts beside its time; none unless this is called, or the environment
// names some (TACHO_REGIONS_EVENTS=instructions,page-faults, which goes before what a program
// asks). To be called before the first region begins: later it is an error (code EBUSY), and so is
// a second call. Returns what can't be counted; everything else is. Each thread that runs regions
// opens its own counters, so an event may be had in one thread and not in another (too many open
// files): the report tells in how many executions it was counted.
std::vector<Error> count_in_regions(const std::vector<std::string>& events);

}  // namespace tacho
#pragma GCC visibility pop

// TACHO_REGION("name"); measures from here to the end of the scope. The name is a literal: a place
// in the source has one. For names that are made while the program runs, keep a RegionSite for
// each.
#ifdef TACHO_OFF
#define TACHO_REGION(name) static_assert(true)
#else
#define TACHO_REGION(name) TACHO_DETAIL_REGION("" name, __COUNTER__)
#define TACHO_DETAIL_REGION(name, number) TACHO_DETAIL_NUMBERED(name, number)
#define TACHO_DETAIL_NUMBERED(name, number)             \
  static ::tacho::RegionSite tacho_site_##number{name}; \
  const ::tacho::Region tacho_region_##number(tacho_site_##number)
#endif
