// The report of `tacho stat` as a plain value, and the functions that turn it into text, JSON and
// CSV: each format has a file of its own.
#pragma once

#include <optional>
#include <string>

#include "base/number.hpp"
#include "estimate/summary.hpp"
#include "regions/regions.hpp"
#include "stats/measurement.hpp"
#include "stats/repeats.hpp"

namespace tacho {

// A run of the same command without the simulator, beside a simulated run.
struct NativeRun {
  Measurement measurement;
  Summary summary;
};

// The content of a report: the measurement, the repeats, and the computed summary. With -r the
// measurement is that of the last run; its user time, system time and memory are those of all runs.
struct StatReport {
  std::string version;
  Measurement measurement;  // its `periods` are not printed one by one
  std::size_t repeats = 1;
  std::vector<double> elapsed;  // seconds of each run; empty: the measurement's
  std::vector<double> counted;  // the part of them in which counting was on, if it could be off
  Summary summary;
  struct Part {
    std::string label;
    Summary summary;
  };
  std::vector<Part> parts;    // one for each thread, control group, or part of the machine
  std::string kind_of_parts;  // "thread" or "cgroup"; empty if the labels say it
  std::optional<NativeRun> native;
  std::optional<Regions> regions;  // with --regions, of all runs
  std::string advice;              // the last line of the text; may be empty
};

// The elapsed seconds of the runs; simulated seconds for a simulation.
Repeats elapsed_of(const StatReport&);
// The mean time in which counting was on.
double counting_of(const StatReport&);

// Each function is pure. Its text is UTF-8 and ends in a newline.
std::string to_text(const StatReport&, const NumberStyle&);
std::string to_json(const StatReport&, int indent = 2);  // < 0: one line
std::string to_csv(const StatReport&);

}  // namespace tacho
