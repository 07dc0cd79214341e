#include "compare/gate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/parse_number.hpp"

namespace tacho {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kShortNames{{
    {"cpu", kCpuTime},
    {"wall", kWallTime},
    {"elapsed", kWallTime},
    {"user", kUserTime},
    {"system", kSystemTime},
    {"memory", kMemory},
}};

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

GateVerdict verdict_of(const Gate& gate, const PairedChange& change) {
  const bool nothing = change.low == 0 && change.high == 0;
  if (change.verdict == ChangeVerdict::missing ||
      (change.scale == ChangeScale::difference && !nothing))
    return GateVerdict::undecided;
  const double nearest = gate.upper ? change.low : -change.high;
  const double farthest = gate.upper ? change.high : -change.low;
  const double bound = gate.upper ? gate.bound : -gate.bound;
  if (farthest <= bound) return GateVerdict::holds;
  return nearest > bound ? GateVerdict::broken : GateVerdict::undecided;
}

}  // namespace

std::string_view to_string(GateVerdict verdict) {
  constexpr std::array<std::string_view, 3> kWords{"holds", "broken", "undecided"};
  return kWords[static_cast<std::size_t>(verdict)];
}

Result<Gate> parse_gate(const std::string& text) {
  const auto wrong = [&](std::string_view why) {
    return failure(fmt::format("--gate '{}': {}", text, why),
                   "write METRIC<=+N% or METRIC>=-N%, as in --gate 'cpu<=+3%'");
  };
  const std::size_t at = text.find_first_of("<>");
  if (at == text.npos || at + 1 >= text.size() || text[at + 1] != '=')
    return wrong("it has no <= or >=");
  Gate gate{.text = text, .metric = {}, .upper = text[at] == '<', .bound = 0};
  gate.metric = without_spaces(std::string_view(text).substr(0, at));
  if (gate.metric.empty()) return wrong("it names no metric");
  for (const auto& [name, metric] : kShortNames)
    if (gate.metric == name) gate.metric = metric;
  std::string_view bound = without_spaces(std::string_view(text).substr(at + 2));
  if (!bound.ends_with('%')) return wrong("the bound does not end in %");
  bound = without_spaces(bound.substr(0, bound.size() - 1));
  if (bound.starts_with('+') && !bound.starts_with("+-")) bound.remove_prefix(1);
  const auto percent = parse_number<double>(bound);
  if (!percent) return wrong("the bound is not a number");
  if (*percent <= -100) return wrong("nothing can change by -100 % or more");
  gate.bound = *percent / 100;
  return gate;
}

std::vector<JudgedGate> judge_gates(const std::vector<Gate>& gates, const PairedRuns& runs,
                                    const std::vector<PairedChange>& changes) {
  std::vector<JudgedGate> judged;
  for (const Gate& gate : gates)
    for (std::size_t i = 0; i < changes.size(); ++i)
      if (runs.metrics[changes[i].metric].name == gate.metric &&
          runs.members[changes[i].member].role == BlockMember::Role::compared)
        judged.push_back({gate, i, verdict_of(gate, changes[i])});
  return judged;
}

Result<void> check_gates(const std::vector<Gate>& gates, const PairedRuns& runs) {
  for (const Gate& gate : gates) {
    const auto named = std::ranges::find(runs.metrics, gate.metric, &ComparedMetric::name);
    if (named == runs.metrics.end()) {
      std::vector<std::string> names;
      for (const ComparedMetric& metric : runs.metrics)
        if (metric.reason.empty()) names.push_back(metric.name);
      return failure(fmt::format("--gate '{}': there is no metric '{}'", gate.text, gate.metric),
                     fmt::format("give one of: {}", fmt::join(names, ", ")));
    }
    if (!named->reason.empty())
      return failure(fmt::format("--gate '{}': {} is not known here: {}", gate.text, gate.metric,
                                 named->reason),
                     "count it elsewhere, or with --pmu simulated");
  }
  return {};
}

}  // namespace tacho
