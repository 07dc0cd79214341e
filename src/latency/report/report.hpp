// `tacho latency`: what was measured and inferred, as text, JSON, CSV, histograms and a picture.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "base/result.hpp"
#include "latency/inference/latency.hpp"
#include "stats/difference.hpp"

namespace tacho {

// Several chases at once that have nothing to do with each other.
struct TogetherLatency {
  std::string level;  // whose capacity holds the list
  std::uint64_t bytes = 0;
  unsigned chases = 1;
  Estimated ns;  // of the time, for each access; infinite limits: not known
};

// From one place to another: CPUs that hand a line to and fro, or a node's CPU and another's
// memory.
struct LatencyMatrix {
  std::string what;  // "core to core, round trip"
  std::vector<int> rows, columns;
  std::vector<std::optional<Estimated>> ns;  // row by row; none where nothing was measured
  bool partial = false;                      // ended before all was
};

// How often an access did an event, and the 95 % half-width: 0 where a simulation counted the
// event, none where it is not known.
struct PerAccess {
  double value = 0;
  std::optional<double> ci95;
};

// What a size's accesses did on a PMU, each.
struct AccessEvents {
  std::uint64_t bytes = 0;
  std::vector<std::optional<PerAccess>> per_access;  // one an event
};

struct EventsOfSizes {
  std::string pmu;               // kind and name
  std::uint64_t page_bytes = 0;  // of the lists that were walked
  std::vector<std::string> names;
  std::vector<std::string> units;         // "ns" of the clocks; empty for plain counts
  std::vector<std::string> reasons = {};  // why an event has no figures; empty where it has
  std::vector<AccessEvents> sizes = {};
};

struct LatencyReport {
  std::string version;
  std::string processor;  // its name, or the model's that was simulated
  bool simulated = false;
  bool overlaps = false;  // the simulated model has other work hide what an access costs
  int cpu = 0;
  std::string access = "load";
  std::string clock;  // "TSC at 2 GHz, wall-like"
  std::vector<LatencySample> samples;
  std::vector<HeldLines> held;
  std::vector<double> chain_cycles;  // one a sample: a load in a chain timed as a whole; 0: none
  Advertised advertised;
  LatencyInference inference;
  std::vector<TogetherLatency> together;
  std::optional<LatencyMatrix> nodes;
  std::optional<EventsOfSizes> events;
  double seconds = 0;
  double waited_s = 0;  // for the CPU
  std::optional<double> stolen_s;
  std::string governor;        // empty: not told
  std::optional<double> load;  // average of a minute
  bool partial = false;
  std::optional<int> ended_by;  // the signal that ended the counting of events
  std::vector<std::string> warnings;
};

std::string latency_text(const LatencyReport&, const NumberStyle&);
std::string latency_json(const LatencyReport&);
// A row a size; tiers and TLBs are rows of their own kind.
std::string latency_csv(const LatencyReport&);
// Every size's histogram: a row for each time that was seen, in cycles without the bias, and how
// often.
std::string latency_samples(const LatencyReport&);

// How far to trust the whole: a word, and the reasons.
struct Confidence {
  std::string word;  // "good", "fair", "poor", "none"; of a simulation also "exact"
  std::vector<std::string> reasons;
};
Confidence trust(const LatencyReport&);

// No kernel has base pages of more than 64 KiB.
inline bool is_huge(std::uint64_t page_bytes) {
  return page_bytes > 65536;
}

// Latency over size: what to plot, and gnuplot's script that plots it from the file `data` into
// `picture` (by its ending, .svg or .png).
std::string latency_plot_data(const LatencyReport&);
std::string latency_plot_script(const LatencyReport&, std::string_view data,
                                std::string_view picture);

std::string matrix_text(const LatencyMatrix&, const NumberStyle&);
std::string matrix_json(const LatencyMatrix&, std::string_view version);
std::string matrix_csv(const LatencyMatrix&);

}  // namespace tacho
