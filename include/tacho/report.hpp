// What the regions of a program have measured, as plain values and as text. C++17 or later.
//
// Without any call, the environment asks for a report at the program's end (exit, or the return
// from main; not _exit, a signal, or exec):
//   TACHO_REGIONS=text       to standard error; also json or csv
//   TACHO_REGIONS=json:FILE  appended to FILE, one line a process; csv has its header once
// A program that runs with another user's rights (set-uid) heeds none of these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacho/counters.hpp"
#include "tacho/error.hpp"
#include "tacho/ticks.hpp"

#pragma GCC visibility push(default)
namespace tacho {

// One quantity of a region: its ticks, or an event. All figures are of single executions but for
// `total`, and all are without the measuring's own cost. So they may fall below zero, by what that
// cost varies.
struct Quantity {
  std::string name;  // "ticks", or the event's
  std::string unit;  // "" for plain counts and ticks, "ns" for clocks
  CountStatus status = CountStatus::unavailable;
  std::uint64_t executions = 0;  // in which it was counted from begin to end
  double total = 0;              // over all executions of the region
  double half_width95 = 0;       // of the total, where it is an estimate (see Count)
  bool has_interval = true;
  double share = 0;  // of the region's time during which it was counted, 0 to 1
  // Of the executions in which it was counted from begin to end. The median and the 99th percentile
  // are of a sketch (DDSketch, 64 buckets an octave): up to 127 exact, above it within 0.8 %, and
  // exact or not, before the cost is taken off.
  double minimum = 0;
  double mean = 0;
  double median = 0;
  double p99 = 0;
  double maximum = 0;
  double cost = 0;  // what was taken off each execution
  Error error;      // of an unavailable one
};

struct RegionFigures {
  std::string name;
  std::uint64_t executions = 0;  // that ended; of recursive ones the outermost
  std::uint64_t recursions = 0;  // executions inside of another one of the same region
  std::uint64_t threads = 0;     // that ran it
  std::uint64_t unfinished = 0;  // begun, but the thread ended, or an outer region, or its
                                 // process's parent forked: not measured
  // Not to be trusted: the median of its ticks, or of an event in ns, is below the cost of
  // measuring it (which has been taken off), or all of it below the cost of measuring the regions
  // inside.
  bool too_short = false;
  std::vector<Quantity> quantities;  // ticks first, then the events in the order asked
};

struct RegionReport {
  std::int64_t pid = 0;
  std::string program;          // the name of its executable
  TickClock clock{};            // what a tick is
  std::string explanation;      // how the counters are read, and why not cheaper; "" without events
  std::uint64_t unmatched = 0;  // ends without a begin
  std::uint64_t too_deep = 0;   // executions nested more than 64 deep: not measured
  std::uint64_t no_memory = 0;  // executions that were not measured for want of memory
  std::vector<RegionFigures> regions;  // in the order of their first executions
};

// What all threads have measured up to now, those that have ended included. Thread-safe; does not
// hold up the others, and so may tell all but the last one or two executions of a thread that is in
// the middle of a region's end. Cost: some 10 µs for a region, event and thread.
RegionReport region_report();

// A table for people; one line of JSON (docs/reference/regions.md tells of its keys); one CSV line for each
// region and quantity, below a header. Bytes of names that are not printable (in JSON: not UTF-8)
// are shown as \xNN.
std::string to_text(const RegionReport&);
std::string to_json(const RegionReport&);
std::string to_csv(const RegionReport&);

}  // namespace tacho
#pragma GCC visibility pop
