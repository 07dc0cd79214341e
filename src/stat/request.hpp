// What `tacho stat` is to do, as a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process/part_of_run.hpp"
#include "report/format.hpp"

namespace tacho {

struct StatRequest {
  std::vector<std::string> command;
  std::vector<std::string> events;  // each a list, as -e takes it
  std::vector<std::string> sets;
  std::string pmu = "auto";
  std::optional<double> period_ms;  // none: what suits the PMU, or the report's own
  std::optional<int> counters;
  int repeats = 1;
  std::optional<double> interval_ms;
  std::optional<std::uint64_t> interval_count;
  std::optional<double> timeout_ms;
  PartOfRun part;
  std::optional<int> pid;
  bool every_cpu = false;
  bool per_thread = false;
  bool per_cpu = false;
  bool with_native = false;
  bool regions = false;
  Format format = Format::text;     // of a report without rows of its own
  std::string series;               // a file; empty: none
  std::string output;               // a file; empty: stderr, or stdout for JSON and CSV
  std::string report;               // one with rows of its own, a name or a file; empty: tacho's
  std::optional<std::string> plot;  // a file, "" for the usual one, "terminal" or "-"

  // The period asked for, or what suits the PMU. A simulation's turns cost nothing, so its periods
  // are shorter: more of them see the start and the end of a program.
  double longest_period_ms() const;
  bool has_rows() const { return !report.empty(); }
  bool plots_on_terminal() const { return plot == "terminal" || plot == "-"; }
};

}  // namespace tacho
