// A gate: a bound on a change that must be shown to hold, such as cpu<=+3%.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

struct ComparedRuns;
struct MetricChange;

struct Gate {
  std::string text;    // as the user wrote it
  std::string metric;  // its name in reports
  bool upper = true;   // the change is to be at most the bound; false: at least
  double bound = 0;    // relative: 0.03 for +3 %
};

enum class GateVerdict { holds, broken, undecided };
std::string_view to_string(GateVerdict);

// Reads METRIC<=+3% or METRIC>=-3%. `cpu`, `wall` and `memory` are short names.
Result<Gate> parse_gate(const std::string& text);

struct JudgedGate {
  Gate gate;
  std::size_t change = 0;  // index among the changes
  GateVerdict verdict = GateVerdict::undecided;
};

// A gate holds if the whole interval of the change keeps the bound. It is broken if the whole
// interval does not. A change that has no ratio is undecided, unless nothing changed. Each gate
// judges all commands but the first.
std::vector<JudgedGate> judge_gates(const std::vector<Gate>& gates, const ComparedRuns& runs,
                                    const std::vector<MetricChange>& changes);

// An error if a gate names a metric that the comparison does not have.
Result<void> check_gates(const std::vector<Gate>& gates, const ComparedRuns& runs);

}  // namespace tacho
