#include "compare/report.hpp"

#include <algorithm>
#include <utility>

#include "compare/compare_warnings.hpp"

namespace tacho {

CompareReport report_of(const CompareRequest& request, PairedRuns runs, std::string version) {
  CompareReport report{.version = std::move(version),
                       .runs = std::move(runs),
                       .changes = {},
                       .gates = {},
                       .growth = {},
                       .warnings = {}};
  report.changes = judge(report.runs);
  if (report.runs.sweep) report.growth = growth_of(report.runs);
  report.gates = judge_gates(request.gates, report.runs, report.changes);
  report.warnings = compare_warnings(request, report.runs, report.changes);
  if (report.runs.sweep)
    if (auto bend = bend_warning(report.runs)) report.warnings.push_back(*std::move(bend));
  return report;
}

int gate_status(const std::vector<JudgedGate>& gates) {
  const auto any = [&](GateVerdict verdict) {
    return std::ranges::find(gates, verdict, &JudgedGate::verdict) != gates.end();
  };
  if (any(GateVerdict::broken)) return 1;
  return any(GateVerdict::undecided) ? 2 : 0;
}

}  // namespace tacho
