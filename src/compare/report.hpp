// The result of a comparison and its formats.
#pragma once

#include <string>
#include <vector>

#include "base/number.hpp"
#include "compare/gate.hpp"
#include "compare/judge.hpp"
#include "compare/runs.hpp"
#include "compare/sweep.hpp"

namespace tacho {

struct CompareReport {
  std::string version;  // of tacho
  PairedRuns runs;
  std::vector<PairedChange> changes;
  std::vector<JudgedGate> gates;
  std::vector<MetricGrowth> growth;  // of a sweep
  std::vector<std::string> warnings;
};

// Judges the runs. The request gives the gates and what is to be warned of.
CompareReport report_of(const CompareRequest& request, PairedRuns runs, std::string version);

// The status of the gates: 1 if one is broken, else 2 if one is undecided, else 0.
int gate_status(const std::vector<JudgedGate>& gates);

// The verdicts, then tables. At most 80 columns if the names of commands and events are short.
std::string to_text(const CompareReport& report, const NumberStyle& style);
// How each metric of a sweep grows, and the primary one as bars.
std::string sweep_text(const CompareReport& report, const NumberStyle& style);
std::string to_markdown(const CompareReport& report, const NumberStyle& style);
// The whole comparison with all its runs: what --save keeps, too.
std::string to_json(const CompareReport& report);
std::string to_csv(const CompareReport& report);

}  // namespace tacho
