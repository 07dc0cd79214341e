// The regions that instrumented programs measured of themselves, as plain values, and those of
// several processes put together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tacho {

// A region's ticks, or an event of it. Figures are without the measuring's own cost, and of single
// executions but for the total; what is not known has no value.
struct RegionQuantity {
  std::string name;  // "ticks", or the event's
  std::string unit;  // "" for plain counts and ticks, "ns" for clocks
  bool estimated = false;
  std::uint64_t executions = 0;  // in which it was counted from begin to end
  std::optional<double> total;   // none when it could not be counted
  std::optional<double> ci95;    // half-width of the total's interval
  std::optional<double> share;   // of the region's time during which it was counted
  std::optional<double> minimum;
  std::optional<double> mean;
  std::optional<double> median;
  std::optional<double> p99;
  std::optional<double> maximum;
  std::optional<double> cost;  // what was taken off each execution
  std::string reason;          // why it could not be counted
  std::string remedy;
};

struct RegionSummary {
  std::string program;
  std::string name;  // printable: other bytes as \xNN
  double clock_hz = 0;
  std::uint64_t processes = 1;
  std::uint64_t threads = 0;
  std::uint64_t executions = 0;
  std::uint64_t recursions = 0;            // executions inside of another one of the same region
  std::uint64_t unfinished = 0;            // begun and not ended: not measured
  bool too_short = false;                  // takes less than its measuring
  std::vector<RegionQuantity> quantities;  // ticks first
};

// What one process told at its end.
struct RegionProcess {
  std::int64_t pid = 0;
  std::string program;
  std::string clock;            // "TSC at 2.6 GHz, wall-like"
  std::string counting;         // how its events were read; may be empty
  std::uint64_t unmatched = 0;  // ends without a begin
  std::uint64_t too_deep = 0;   // executions nested too deep to be measured
  std::uint64_t no_memory = 0;  // executions not measured for want of memory
  std::vector<RegionSummary> regions;
};

// All that a run's processes told.
struct Regions {
  std::vector<RegionProcess> processes;
  std::size_t unreadable = 0;  // lines that were none, or cut off
  bool cut = false;            // there was more than tacho takes
};

// Regions of one name and program are one, in the order in which they were first told. A median or
// a 99th percentile can't be had from those of several processes, so it has no value then.
std::vector<RegionSummary> together(std::span<const RegionProcess> processes);

}  // namespace tacho
