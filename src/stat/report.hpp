// The report of `tacho stat` as a plain value, and the functions that turn it into text, JSON and
// CSV: each format has a file of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

// What the parts of a report are.
enum class PartKind { none, thread, cgroup, cpu, core, die, socket, node };

std::string_view to_string(PartKind);  // "thread", "cpu"; empty for none

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
    std::size_t cpus = 0;  // that were counted, of a part of the machine
  };
  std::vector<Part> parts;  // one for each thread, control group, or part of the machine
  PartKind kind_of_parts = PartKind::none;
  std::optional<NativeRun> native;
  std::optional<Regions> regions;  // with --regions, of all runs
  std::string plan;    // with -v: how the events were counted; then the text has all details
  std::string advice;  // the last line of the text; may be empty
};

// The elapsed seconds of the runs; simulated seconds for a simulation.
Repeats elapsed_of(const StatReport&);
// The mean time in which counting was on.
double counting_of(const StatReport&);

// The text with colours for a terminal: its first line, the warnings, and what is not available.
std::string with_colours(std::string_view text);

// Each function is pure. Its text is UTF-8 and ends in a newline.
// `columns`: of a line of the text. `table_columns`: of the table of events and metrics; 0: no
// limit.
std::string to_text(const StatReport&, const NumberStyle&, std::size_t columns = 100,
                    std::size_t table_columns = 0);
std::string to_json(const StatReport&, int indent = 2);  // < 0: one line
std::string to_csv(const StatReport&);

}  // namespace tacho
