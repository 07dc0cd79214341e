// Metrics: named formulas over events (CPI = cycles / instructions), read from data files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// An arithmetic expression over event names: numbers, + - * /, parentheses, names. A name starts
// with a letter or _ and goes on with letters, digits and _ . : -, so that `branch-misses` and
// `sched:sched_switch` are names; write subtraction with a space before it. Any other name stands
// between backticks: `cpu/event=0x3c/`. A plain value; safe to copy and to share between threads.
class Formula {
 public:
  // Errors give the column and the reason. Bounded: at most 4096 characters and 64 parentheses
  // deep.
  static Result<Formula> parse(std::string_view text);

  // The events named, each once, in order of appearance.
  const std::vector<std::string>& names() const { return names_; }

  // The value for values[i] of names()[i] (as many). Not finite after a division by zero.
  double evaluate(std::span<const double> values) const;

 private:
  friend class FormulaParser;

  // One operation of the postfix program: push a number, push a name, or combine the top two.
  struct Step {
    char kind;  // 'n' number, 'v' name, or the operator
    double number;
    std::size_t name;
  };
  std::vector<std::string> names_;
  std::vector<Step> steps_;
};

struct Metric {
  std::string name;  // "CPI"
  Formula formula;
  std::string unit;         // "cycles per instruction", "PTI", "%"
  std::string description;  // one line; may be empty
};

// A set of events that are worth counting together, with the metrics they give.
struct EventSet {
  struct MetricEntry {
    std::string name;           // of its own metric, or of one that everyone may use
    std::string place;          // file:line
    std::optional<Metric> own;  // what the set says itself
  };
  std::string path;
  std::string name;  // the file's, without directory and ending
  std::string description;
  std::vector<std::string> events;  // event-list elements: `cycles`, `{branches,branch-misses}`
  std::vector<std::string> places;  // of each of them: file:line
  std::vector<MetricEntry> metrics;
};

// Reads `metrics.toml`: the metrics that everyone may use. Errors name file, line and reason.
Result<std::vector<Metric>> load_metrics(const std::string& path);

// Reads one set file. Which metrics its names stand for is another question, to be asked when
// metrics are needed.
Result<EventSet> load_set(const std::string& path);

// The set's metrics, its own and those of `known` that it names. Errors name file and line: a
// metric that nobody knows, that stands twice, or is over an event that the set does not count.
Result<std::vector<Metric>> metrics_of(const EventSet& set, std::span<const Metric> known);

// What load_metrics and load_set do, of text in memory; `path` is named in errors and gives the
// set's name.
Result<std::vector<Metric>> parse_metrics(std::string_view text, const std::string& path);
Result<EventSet> parse_set(std::string_view text, const std::string& path);

}  // namespace tacho
