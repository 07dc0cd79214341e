// Reads gates and judges them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "compare/judge.hpp"
#include "compare/request.hpp"
#include "compare/runs.hpp"

namespace tacho {

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
std::vector<JudgedGate> judge_gates(const std::vector<Gate>& gates, const PairedRuns& runs,
                                    const std::vector<PairedChange>& changes);

// An error if a gate names a metric that the comparison does not have.
Result<void> check_gates(const std::vector<Gate>& gates, const PairedRuns& runs);

}  // namespace tacho
