// report: what people and programs read. One file a format; each turns a Summary into text and
// touches nothing else. Only cli prints.
#pragma once

#include <optional>
#include <string>

#include "base/number.hpp"
#include "estimate/summary.hpp"
#include "regions/regions.hpp"
#include "stats/measurement.hpp"
#include "stats/repeats.hpp"

namespace tacho {

// A run of the same command beside a simulated one, without the simulator.
struct NativeRun {
  Measurement measurement;
  Summary summary;
};

// What a report of `tacho stat` shows: the measurement it came from (of the last run with -r, but
// for the user time, system time and memory, which are of all), the repeats, and what was computed.
struct StatReport {
  std::string version;
  Measurement measurement;  // its `periods` are not printed one by one
  std::size_t repeats = 1;
  std::vector<double> elapsed;  // seconds, a run; empty means the measurement's
  Summary summary;
  struct Part {
    std::string label;
    Summary summary;
  };
  std::vector<Part> parts;  // one a thread with --per-thread
  std::optional<NativeRun> native;
  std::optional<Regions> regions;  // with --regions; of all runs together
  std::string advice;              // the last line of the text; may be empty
};

// Seconds over the runs, simulated ones of a simulation.
Repeats elapsed_of(const StatReport&);

// Each is pure, returns UTF-8 and ends in a newline.
std::string to_text(const StatReport&, const NumberStyle&);
std::string to_json(const StatReport&, int indent = 2);  // < 0: one line
std::string to_csv(const StatReport&);

}  // namespace tacho
