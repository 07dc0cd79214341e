// What `tacho latency` measured and inferred: what all its reports show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "latency/inference/results.hpp"
#include "stats/difference.hpp"

namespace tacho {

// Several independent walks of one list at once.
struct ParallelLatency {
  std::string level;  // that holds the list
  std::uint64_t bytes = 0;
  unsigned chases = 1;
  Estimated ns;  // time for each access; infinite limits: unknown
};

// Times between places: CPUs that hand a line to each other, or a node's CPU and a node's memory.
struct LatencyMatrix {
  std::string what;  // "core to core and back"
  std::vector<int> rows, columns;
  std::vector<std::optional<Estimated>> ns;  // row by row; none if it was not measured
  bool partial = false;                      // ended before its end
};

// Events for each access, and the 95 % half-width: 0 if a simulation counted the event, none if it
// is unknown.
struct PerAccess {
  double value = 0;
  std::optional<double> ci95;
};

struct AccessEvents {
  std::uint64_t bytes = 0;                           // of the list
  std::vector<std::optional<PerAccess>> per_access;  // one for each event
};

struct EventsOfSizes {
  std::string pmu;               // kind and name
  std::uint64_t page_bytes = 0;  // of the lists that were walked
  std::vector<std::string> names;
  std::vector<std::string> units;         // "ns" for clocks; empty for plain counts
  std::vector<std::string> reasons = {};  // why an event has no figures; empty if it has
  std::vector<AccessEvents> sizes = {};
};

struct LatencyReport {
  std::string version;
  std::string processor;  // the name of the processor, or of the simulated model
  bool simulated = false;
  int cpu = 0;
  std::string access = "load";
  std::string clock;      // "TSC at 2 GHz, wall-like"
  double clock_step = 1;  // ticks by which it usually advances
  std::vector<LatencySample> samples;
  std::vector<CacheFill> fills;
  Advertised advertised;
  LatencyInference inference;
  std::vector<ParallelLatency> parallel;
  std::optional<LatencyMatrix> nodes;
  std::optional<EventsOfSizes> events;
  double seconds = 0;
  double waited_s = 0;             // for the CPU
  std::optional<double> stolen_s;  // none: the kernel does not report it
  std::string governor;            // empty: unknown
  std::optional<double> load;      // average of the last minute
  bool partial = false;
  std::optional<int> ended_by;  // the signal that ended the counting of events
  std::vector<std::string> warnings;
};

// Line size of the lists. Requires a sample.
inline std::size_t line_bytes_of(const LatencyReport& report) {
  const LatencySample& first = report.samples.front();
  return static_cast<std::size_t>(first.bytes / std::max<std::uint64_t>(first.lines, 1));
}

// No kernel has base pages of more than 64 KiB.
inline bool is_huge(std::uint64_t page_bytes) {
  return page_bytes > 65536;
}

}  // namespace tacho
