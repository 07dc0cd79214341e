// What `tacho stat` was asked to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace tacho {

enum class Format { text, json, csv, rows };

struct StatOptions {
  std::vector<std::string> events;  // -e, each a list
  std::vector<std::string> sets;    // -S
  std::string pmu = "auto";
  std::optional<double> period_ms;  // else as suits the PMU, or the report's
  std::optional<int> counters;
  int repeats = 1;
  std::optional<double> interval_ms;
  std::optional<int> pid;
  bool every_cpu = false;
  bool per_thread = false;
  bool per_cpu = false;
  bool with_native = false;
  bool regions = false;
  std::string series;  // file; empty: none
  std::string output;  // file; empty: stderr, or stdout for JSON and CSV
  bool json = false;
  bool csv = false;
  bool older_name = false;          // called as rpistat, which has fewer options
  std::string report;               // --report, a name or a file; empty: tacho's own
  std::optional<std::string> plot;  // --plot: a file, "" for the usual one, "terminal" or "-"
  std::vector<std::string> command;

  // What --period says, or what suits the PMU. A simulation's turns cost nothing, so they are
  // shorter: more of them see the start and the end of a program.
  double longest_period_ms() const;
  Format format() const {
    if (!report.empty()) return Format::rows;
    return json ? Format::json : csv ? Format::csv : Format::text;
  }
  bool plots_on_terminal() const { return plot == "terminal" || plot == "-"; }
};

// Declares the options on the subcommand, to be parsed into `options`.
void declare(CLI::App& subcommand, StatOptions& options);
// Those that go with a report of rows too; all that rpistat has.
void declare_of_rows(CLI::App& app, StatOptions& options);

// Options that exclude or need each other. The error names both.
Result<void> check(const StatOptions& options);

}  // namespace tacho
