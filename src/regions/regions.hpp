// The regions that instrumented programs measured in themselves, as plain values, and the regions
// of several processes added up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "caliper/distribution.hpp"
#include "caliper/path_table.hpp"
#include "stats/interval_ends.hpp"

namespace tacho {

// A region's ticks, one of its events, or a value that the program noted. The measurement's own
// cost is subtracted. All figures but the total are of single executions. An unknown figure has no
// value.
struct RegionQuantity {
  std::string name;    // "ticks", or the event's
  std::string unit;    // "" for plain counts and ticks, "ns" for clocks
  bool noted = false;  // a value of the program's own, which not each execution has
  bool estimated = false;
  std::uint64_t executions = 0;  // in which it was counted from begin to end
  std::optional<double> total;   // none when it could not be counted
  std::optional<double> ci95;    // half-width of the total's interval
  std::optional<double> share;   // of the region's time during which it was counted
  std::optional<double> minimum;
  std::optional<double> mean;  // if estimated, it has the total's interval over all executions
  std::optional<double> median;
  std::optional<double> p99;
  std::optional<double> maximum;
  std::optional<double> cost;  // subtracted from each execution
  // The values of single executions, each times `scale`; the cost is not subtracted. Empty if a
  // process did not tell them.
  caliper::Distribution values;
  double scale = 1;
  std::string reason;  // why it could not be counted
  std::string remedy;
};

// The ends of the total's interval; none if there is no interval.
std::optional<IntervalEnds> ends95(const RegionQuantity&);

// What the time of a region was in each of several processes, in ticks.
struct ProcessSpread {
  double minimum = 0;
  double maximum = 0;
  std::string longest;  // the process of the maximum: "rank 3 on node7", "process 1234"
};

struct RegionSummary {
  std::string program;
  std::string name;  // printable: other bytes as \xNN
  double clock_hz = 0;
  std::uint64_t processes = 1;
  ProcessSpread spread;
  std::uint64_t threads = 0;
  std::uint64_t executions = 0;
  std::uint64_t recursions = 0;            // executions inside another execution of the same region
  std::uint64_t unfinished = 0;            // executions that began and did not end: not measured
  std::string left_open_by;                // the code that began the first one left open; or empty
  std::optional<double> own_ticks;         // of the total: without the regions inside
  bool too_short = false;                  // an execution takes less time than its measurement
  std::vector<RegionQuantity> quantities;  // ticks first
};

// Its total time in ticks; 0 if it has none.
double time_of(const RegionSummary&);

// The regions of one process, as it wrote them at its end.
struct RegionProcess {
  std::int64_t pid = 0;
  std::string program;
  std::string host;
  std::optional<std::uint64_t> rank;    // among the processes of mpirun or srun
  std::string clock;                    // "TSC at 2.6 GHz, wall-like"
  std::string counting;                 // how its events were read; may be empty
  std::uint64_t unmatched = 0;          // ends without a begin
  std::uint64_t perhaps_unmatched = 0;  // or the begin came while regions were off
  std::optional<double> on_s;           // for how many seconds regions were on,
  std::optional<double> of_s;           // of how many seconds of the process
  std::uint64_t too_deep = 0;           // executions nested too deep to be measured
  std::uint64_t no_memory = 0;          // executions not measured because memory was short
  std::vector<RegionSummary> regions;
  std::vector<caliper::RegionPath> paths;  // parents first
  std::uint64_t without_path = 0;          // executions that are in no path
  double clock_hz = 0;
};

// How the regions of a program were inside each other, in all its processes.
struct ProgramPaths {
  std::string program;
  double clock_hz = 0;
  std::vector<caliper::RegionPath> paths;  // parents first
};

// The regions of all processes of a run.
struct Regions {
  std::vector<RegionProcess> processes;
  std::size_t unreadable = 0;  // lines that could not be read
  bool cut = false;            // there was more than tacho keeps
};

// Adds up the regions that have the same name and program, in the order in which they first
// appeared. A median and a 99th percentile are of the executions of all processes. They have no
// value if a process told no distribution, as an event that took turns.
std::vector<RegionSummary> together(std::span<const RegionProcess> processes);
std::vector<ProgramPaths> paths_together(std::span<const RegionProcess> processes);

}  // namespace tacho
