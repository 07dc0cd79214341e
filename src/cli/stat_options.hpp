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

enum class Format { text, json, csv };

struct StatOptions {
  std::vector<std::string> events;  // -e, each a list
  std::vector<std::string> sets;    // -S
  std::string pmu = "auto";
  double period_ms = 10;
  std::optional<int> counters;
  int repeats = 1;
  std::optional<double> interval_ms;
  std::optional<int> pid;
  bool every_cpu = false;
  bool per_thread = false;
  bool with_native = false;
  std::string series;  // file; empty: none
  std::string output;  // file; empty: stderr, or stdout for JSON and CSV
  bool json = false;
  bool csv = false;
  std::vector<std::string> command;

  Format format() const { return json ? Format::json : csv ? Format::csv : Format::text; }
};

// Declares the options on the subcommand, to be parsed into `options`.
void declare(CLI::App& subcommand, StatOptions& options);

// Options that exclude or need each other. The error names both.
Result<void> check(const StatOptions& options);

}  // namespace tacho
