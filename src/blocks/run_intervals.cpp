#include "blocks/run_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "stats/clusters.hpp"
#include "stats/student.hpp"

namespace tacho {
namespace {

// Fewer stacks than this are too few for the interval of a mean.
constexpr double kFewestStacks = 10;

// How much the executions of one stack resemble each other in `value`, by the kept executions for
// which `counts` is true.
template <class Counts, class Value>
ClusterEffect effect_over_stacks(const CodeRun& run, const Counts& counts, const Value& value) {
  std::vector<Cluster> stacks;
  double squares = 0;
  std::uint32_t last = 0;
  for (const KeptExecution& each : run.kept) {
    if (!counts(each)) continue;
    if (stacks.empty() || each.stack != last) stacks.emplace_back();
    last = each.stack;
    const auto drawn = static_cast<double>(value(each));
    ++stacks.back().draws;
    stacks.back().sum += drawn;
    squares += drawn * drawn;
  }
  ClusterEffect effect = cluster_effect(stacks, squares);
  // A stack that was not kept may have several executions where the kept ones have one.
  if (run.kept.size() < run.count)
    effect.freedom =
        std::min(effect.freedom, std::max(0.0, static_cast<double>(stacks.size()) - 1));
  return effect;
}

bool is_timed(const KeptExecution& each) {
  return each.cycles > 0;
}

double total_of(const CodeRun& run) {
  return static_cast<double>(run.cycles.total());
}

}  // namespace

std::optional<BranchRatio> mispredict_ratio(const CodeRun& run) {
  if (run.with_prediction == 0) return std::nullopt;
  const auto with_prediction = static_cast<double>(run.with_prediction);
  const double value = static_cast<double>(run.mispredicted) / with_prediction;
  const ClusterEffect effect =
      effect_over_stacks(run, std::mem_fn(&KeptExecution::has_prediction),
                         [](const KeptExecution& each) { return each.mispredicted ? 1 : 0; });
  return BranchRatio{value, wilson95(value, independent_draws(with_prediction, effect))};
}

QuantileInterval median95(const CodeRun& run) {
  const std::uint64_t median = run.cycles.quantile(0.5);
  const ClusterEffect effect =
      effect_over_stacks(run, is_timed, [median](const KeptExecution& each) {
        if (each.cycles == median) return 0.5;
        return each.cycles < median ? 1.0 : 0.0;
      });
  return quantile95(run.cycles, 0.5, independent_draws(total_of(run), effect));
}

double sum95(const CodeRun& run, const std::function<double(std::uint64_t)>& residual) {
  double squares = 0;
  for (const auto& [value, count] : run.cycles.bins())
    squares += static_cast<double>(count) * std::pow(residual(value), 2);
  const ClusterEffect effect = effect_over_stacks(
      run, is_timed, [&residual](const KeptExecution& each) { return residual(each.cycles); });
  const double n = total_of(run);
  const double freedom = std::min(effect.freedom, n - 1);
  if (freedom + 1 < kFewestStacks) return std::numeric_limits<double>::infinity();
  return student_t95(freedom) * std::sqrt(squares * n / (n - 1) / effect.worth);
}

Estimated mean95(const CodeRun& run) {
  const double n = total_of(run);
  const double mean = static_cast<double>(run.cycle_sum) / n;
  double half =
      sum95(run, [mean](std::uint64_t cycles) { return static_cast<double>(cycles) - mean; }) / n;
  // Cycles are counted whole: equal counts may hide a difference of up to half a cycle.
  if (half == 0) half = 0.5;
  return {mean, mean - half, mean + half};
}

std::vector<Mode> modes_of(const CodeRun& run) {
  return modes(run.cycles, kLeastModeShare, [&run](std::uint64_t low, std::uint64_t high) {
    const ClusterEffect effect =
        effect_over_stacks(run, is_timed, [low, high](const KeptExecution& each) {
          return low <= each.cycles && each.cycles <= high ? 1 : 0;
        });
    return independent_draws(1, effect);
  });
}

ShareInterval none95(const CodeRun& run) {
  const ClusterEffect effect =
      effect_over_stacks(run, is_timed, [](const KeptExecution&) { return 0; });
  return wilson95(0, independent_draws(total_of(run), effect));
}

}  // namespace tacho
