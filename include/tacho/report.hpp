// Reports of a program's regions, as plain values and as text. C++17 or later.
//
// A program needs no call for a report. The environment asks for one when the program ends by
// exit(), quick_exit() or by a return from main, but not by _exit(), abort(), a signal or exec:
//   TACHO_REGIONS=text       to standard error; also json or csv
//   TACHO_REGIONS=json:FILE  appended to FILE: one line a process; CSV has its header once
//   TACHO_REGIONS=trace:FILE the single executions, for viewers of time lines
// A program that runs with another user's rights (set-uid) ignores these variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacho/counters.hpp"
#include "tacho/error.hpp"
#include "tacho/ticks.hpp"

#pragma GCC visibility push(default)
namespace tacho {
inline namespace v0 {

// One quantity of a region: its ticks, an event, or a value that the program noted. `total` is of
// all executions; the other figures are of one execution. All are about this run of the program:
// what was counted has no interval. If the status is estimated, the figures but `total` and `mean`
// are of the counted executions. The cost of measuring is subtracted from all of them. That cost
// varies a little, so a figure can be slightly below zero.
struct Quantity {
  std::string name;  // "ticks", or the name of the event
  std::string unit;  // "ns" for clocks, "" for ticks and plain counts
  CountStatus status = CountStatus::unavailable;
  // The executions in which the event was counted from begin to end. If there are none, the figures
  // of one execution below are 0 and mean nothing, apart from an estimated `mean`.
  std::uint64_t executions = 0;
  double total = 0;           // over all executions of the region
  double half_width95 = 0;    // of the 95 % interval of `total`, see Count
  bool has_interval = false;  // whether `half_width95` holds, see Count
  double share = 0;           // 0 to 1: the part of the region's time in which it was counted
  double minimum = 0;
  // `total` over all executions of the region. If the event took turns, that is an estimate; its
  // 95 % interval is that of `total`, divided by the executions of the region.
  double mean = 0;
  double median = 0;  // before the cost is subtracted: exact below 128, else within 0.8 %
  double p99 = 0;     // the 99th percentile, as exact as the median
  double maximum = 0;
  double cost = 0;  // the cost of measuring that was subtracted from each execution
  Error error;      // why the quantity is unavailable
};

struct RegionFigures {
  std::string name;
  std::uint64_t executions = 0;  // that have ended; of recursive ones only the outermost
  std::uint64_t recursions = 0;  // executions inside another execution of the same region
  std::uint64_t threads = 0;     // that executed the region
  // Executions that began and are not measured: they still run, or their thread or an outer region
  // ended first.
  std::uint64_t unfinished = 0;
  // If true, do not trust the figures. Either the median of the ticks, or of an event in ns, is
  // less than the cost that was subtracted. Or less is left than what was subtracted for the
  // regions inside.
  bool too_short = false;
  // First the ticks, then the events in the order given, then what the program noted.
  std::vector<Quantity> quantities;
};

struct RegionReport {
  std::int64_t pid = 0;
  std::string program;          // the name of the executable file
  TickClock clock{};            // the clock that gives the ticks
  std::string explanation;      // as Counters::explain(); empty if no events were asked for
  std::uint64_t unmatched = 0;  // ends without a begin
  std::uint64_t too_deep = 0;   // executions nested more than 64 deep, which are not measured
  std::uint64_t no_memory = 0;  // executions that are not measured because memory ran out
  std::vector<RegionFigures> regions;  // in the order of their first executions
};

// The figures of all threads up to now, including threads that have ended. Thread-safe. It does not
// stop other threads, so the last one or two executions of a running thread may be missing. It
// takes a time in proportion to regions, events and threads.
[[nodiscard]] RegionReport region_report();

// A table for people; one line of JSON (docs/reference/regions.md describes its keys); or CSV with
// a header and one line for each region and quantity. In names, a backslash is written as two,
// control characters and bytes that are not UTF-8 as \xNN, and other characters that can't be seen
// as \uNNNN or \UNNNNNNNN.
[[nodiscard]] std::string to_text(const RegionReport&);
[[nodiscard]] std::string to_json(const RegionReport&);
[[nodiscard]] std::string to_csv(const RegionReport&);

}  // namespace v0
}  // namespace tacho
#pragma GCC visibility pop
