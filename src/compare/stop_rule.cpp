#include "compare/stop_rule.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "stats/paired_changes.hpp"

namespace tacho {
namespace {

constexpr std::array<std::size_t, 4> kUsualLooks = {10, 20, 40, 80};
constexpr std::array<std::size_t, 2> kSimulatedLooks = {2, 10};
// Relative: a narrower interval that includes 0 ends a comparison for which no precision is asked.
constexpr double kNarrow = 0.005;

double half_width(const PairedChange& change) {
  return (change.high - change.low) / 2;
}

}  // namespace

StopRule usual_stop_rule(std::size_t metrics, bool simulated) {
  if (simulated)
    return {
        .looks = {kSimulatedLooks.begin(), kSimulatedLooks.end()}, .seconds = {}, .precision = {}};
  StopRule rule{.looks = {kUsualLooks.begin(), kUsualLooks.end()}, .seconds = {}, .precision = {}};
  rule.looks.front() = std::max(rule.looks.front(), fewest_pairs(metrics, level_of(rule.looks)));
  return rule;
}

std::optional<Stopped> settled(const PairedRuns& runs, const std::vector<PairedChange>& changes,
                               const StopRule& rule, const std::vector<Gate>& gates) {
  std::vector<PairedChange> primary;
  std::ranges::copy_if(changes, std::back_inserter(primary), [&](const PairedChange& change) {
    return change.metric == runs.primary &&
           runs.members[change.member].role == BlockMember::Role::compared;
  });
  const auto within = [&](double width) {
    return std::ranges::all_of(primary, [width](const PairedChange& change) {
      return change.scale == ChangeScale::ratio && half_width(change) <= width;
    });
  };
  if (rule.precision && !within(*rule.precision)) return {};
  if (!gates.empty()) {
    const auto verdicts = judge_gates(gates, runs, changes);
    // One broken gate decides, and more pairs do not help one whose metric has no values.
    const auto settles = [&](const JudgedGate& gate) {
      return gate.verdict == GateVerdict::broken ||
             changes[gate.change].verdict == ChangeVerdict::missing;
    };
    const auto open = [](const JudgedGate& gate) { return gate.verdict == GateVerdict::undecided; };
    const bool done =
        std::ranges::any_of(verdicts, settles) || std::ranges::none_of(verdicts, open);
    return done ? std::optional(Stopped::decided) : std::nullopt;
  }
  if (rule.precision) return Stopped::precise;
  const bool decided = std::ranges::all_of(primary, [](const PairedChange& change) {
    return change.verdict != ChangeVerdict::undecided && change.verdict != ChangeVerdict::missing;
  });
  if (decided) return Stopped::decided;
  return within(kNarrow) ? std::optional(Stopped::precise) : std::nullopt;
}

}  // namespace tacho
