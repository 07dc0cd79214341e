// What `tacho stat` is to do, as a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_topology.hpp"
#include "process/asked_targets.hpp"
#include "process/part_of_run.hpp"
#include "report/format.hpp"
#include "stat/perf_lines.hpp"

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
  // One of the following, or the command.
  AskedTargets targets;
  std::vector<std::string> cgroups;
  std::string cgroups_like;  // a regular expression; empty: none
  std::vector<std::string> containers;
  // One row for each of these.
  bool per_thread = false;
  std::optional<CpuPart> per;
  bool alone = false;    // without the threads and processes that the target starts
  bool nothing = false;  // only the times of a command
  bool with_native = false;
  bool regions = false;
  Format format = Format::text;         // of a report without rows of its own
  std::optional<PerfLines> perf_lines;  // instead of a format
  bool big_numbers = true;              // in text, the locale's thousands separators
  bool verbose = false;                 // also how it was counted
  bool syncs = false;                   // writes the file systems' buffers before the start
  std::string series;                   // a file; empty: none
  std::string openmetrics;              // a file; empty: none
  std::string page;                     // a file for a browser; empty: none
  std::string output;               // a file; empty: stderr, or stdout for tacho's own JSON and CSV
  std::string report;               // one with rows of its own, a name or a file; empty: tacho's
  std::optional<std::string> plot;  // a file, "" for the usual one, "terminal" or "-"

  bool counts_cgroups() const {
    return !cgroups.empty() || !cgroups_like.empty() || !containers.empty();
  }
  bool counts_task() const { return (!targets.are_cpus() || per_thread) && !counts_cgroups(); }
  bool counts_command() const { return targets.are_a_command() && !counts_cgroups(); }

  // The period asked for, or what suits the PMU. A simulation's turns cost nothing, so its periods
  // are shorter: more of them see the start and the end of a program.
  double longest_period_ms() const;
  bool has_rows() const { return !report.empty(); }
  bool plots_on_terminal() const { return plot == "terminal" || plot == "-"; }
};

}  // namespace tacho
