// Metrics: named formulas over events (CPI = cycles / instructions), read from data files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// An arithmetic expression over event names: numbers, + - * /, parentheses, names. A name is as in
// an event list; one with characters of the arithmetic (a `-` inside `branch-misses` is part of the
// name; write subtraction with spaces around it).
class Formula {
 public:
  static Result<Formula> parse(std::string_view text);

  // The events named, each once, in order of appearance.
  const std::vector<std::string>& names() const { return names_; }

  // The value for values[i] of names()[i], and its partial derivatives into gradient[i]
  // (both spans as long as names()). Not finite after a division by zero.
  double evaluate(std::span<const double> values, std::span<double> gradient) const;

 private:
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
  std::string unit;  // "cycles per instruction", "PTI", "%"
};

// A set of events that are worth counting together, with the metrics they give.
struct EventSet {
  std::string name;
  std::string description;
  std::vector<std::string> events;  // event-list elements: `cycles`, `{branches,branch-misses}`
  std::vector<Metric> metrics;
};

// Reads `metrics.toml`: the metrics that everyone may use. Errors name file, line and reason.
Result<std::vector<Metric>> load_metrics(const std::string& path);

// Reads one set file; its metrics are names from `known`, or tables of its own.
Result<EventSet> load_set(const std::string& path, std::span<const Metric> known);

}  // namespace tacho
