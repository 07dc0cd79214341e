#include "blocks/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "blocks/run_intervals.hpp"
#include "stats/paired_changes.hpp"
#include "stats/repeats.hpp"

namespace tacho {
namespace {

// Cost of a mode without a partner. Two modes are paired unless their distance is more than twice
// this cost. It is the sum of a change of the share and of the logarithm of a ratio of cycles: two
// modes of equal share are paired up to a factor of exp(0.8) = 2.2.
constexpr double kUnpaired = 0.4;

Estimated median_of(const CodeRun& run) {
  return estimated(run.cycles.quantile(0.5), run_quantile95(run, 0.5));
}

Estimated place_of(const Mode& mode) {
  return {mode.middle, mode.middle_low, mode.middle_high};
}

// A mode that is not there has no executions.
Estimated share_of(const std::vector<Mode>& modes, std::optional<std::size_t> index,
                   const CodeRun& run) {
  const ShareInterval interval = index ? modes[*index].share95 : none95(run);
  return {index ? modes[*index].share : 0, interval.low, interval.high};
}

using Pair = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

// The pairing of the modes, in rising order of cycles, that costs least. A pair costs the logarithm
// of how far the mode moved plus the change of its share. A mode without a partner costs kUnpaired.
std::vector<Pair> paired(const std::vector<Mode>& before, const std::vector<Mode>& after) {
  const std::size_t rows = before.size() + 1, columns = after.size() + 1;
  std::vector<double> cost(rows * columns);
  const auto at = [&](std::size_t i, std::size_t k) -> double& { return cost[i * columns + k]; };
  const auto distance = [&](std::size_t i, std::size_t k) {
    return std::abs(std::log(before[i].middle / after[k].middle)) +
           std::abs(before[i].share - after[k].share);
  };
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k) {
      if (i == 0 || k == 0) {
        at(i, k) = static_cast<double>(i + k) * kUnpaired;
        continue;
      }
      at(i, k) = std::min({at(i - 1, k) + kUnpaired, at(i, k - 1) + kUnpaired,
                           at(i - 1, k - 1) + distance(i - 1, k - 1)});
    }
  std::vector<Pair> pairs;
  for (std::size_t i = before.size(), k = after.size(); i > 0 || k > 0;) {
    if (i > 0 && k > 0 && at(i, k) == at(i - 1, k - 1) + distance(i - 1, k - 1))
      pairs.emplace_back(--i, --k);
    else if (i > 0 && at(i, k) == at(i - 1, k) + kUnpaired)
      pairs.emplace_back(--i, std::nullopt);
    else
      pairs.emplace_back(std::nullopt, --k);
  }
  std::ranges::reverse(pairs);
  return pairs;
}

// Of all executions of both sides.
RunComparison compare_executions(const CodeRun& old, const CodeRun& now) {
  RunComparison it;
  it.modes_before = modes_of(old);
  it.modes_after = modes_of(now);
  it.median_before = median_of(old);
  it.median_after = median_of(now);
  it.median_moved = difference95(it.median_before, it.median_after);
  it.mean_before = mean95(old);
  it.mean_after = mean95(now);
  it.mean_moved = difference95(it.mean_before, it.mean_after);
  for (const auto& [one, other] : paired(it.modes_before, it.modes_after)) {
    ModeShift shift{one, other, std::nullopt, {}};
    if (one && other)
      shift.moved = difference95(place_of(it.modes_before[*one]), place_of(it.modes_after[*other]));
    shift.share =
        difference95(share_of(it.modes_before, one, old), share_of(it.modes_after, other, now));
    it.modes.push_back(shift);
  }
  return it;
}

bool took_equal_samples(const RunSide& side) {
  const auto& first = side.figures.front();
  const auto is_known = [](const auto& figures) { return figures.has_value(); };
  return std::ranges::any_of(first, is_known) &&
         std::ranges::all_of(side.figures, [&](const auto& each) { return each == first; });
}

// The figures of a run in the recordings of pairs that both have it.
struct PairedFigures {
  std::vector<double> before, after;

  std::vector<double> differences() const {
    std::vector<double> all;
    std::ranges::transform(after, before, std::back_inserter(all), std::minus<>());
    return all;
  }
};

PairedFigures paired_figures(const RunSide& before, const RunSide& after, std::size_t run,
                             double RunFigures::* figure) {
  PairedFigures pairs;
  for (std::size_t i = 0; i < std::min(before.figures.size(), after.figures.size()); ++i)
    if (const auto &was = before.figures[i][run], &is = after.figures[i][run]; was && is) {
      pairs.before.push_back(*was.*figure);
      pairs.after.push_back(*is.*figure);
    }
  return pairs;
}

// The figures of a run that come from pairs, and no interval that does not.
void take_pairs(RunComparison& it, const PairedFigures& medians, const PairedFigures& means) {
  it.pairs = means.before.size();
  it.median_before = estimated(over_repeats(medians.before));
  it.median_after = estimated(over_repeats(medians.after));
  it.mean_before = estimated(over_repeats(means.before));
  it.mean_after = estimated(over_repeats(means.after));
  for (ModeShift& shift : it.modes) {
    shift.share = without_interval(shift.share.value);
    if (shift.moved) shift.moved = without_interval(shift.moved->value);
  }
}

// Replaces the changes of these runs by those of pairs, which are tested together.
void test_family(const RunSide& before, const RunSide& after, std::span<RunComparison> family) {
  std::vector<RunComparison*> tested;
  std::vector<std::vector<double>> medians, means;
  for (RunComparison& it : family) {
    const auto of_medians = paired_figures(before, after, it.run, &RunFigures::median);
    const auto of_means = paired_figures(before, after, it.run, &RunFigures::mean);
    if (of_means.before.empty()) continue;
    take_pairs(it, of_medians, of_means);
    tested.push_back(&it);
    medians.push_back(of_medians.differences());
    means.push_back(of_means.differences());
  }
  const auto of_medians = test_pairs(medians), of_means = test_pairs(means);
  const auto moved = [](const SignedRank& change) {
    return Estimated{change.estimate, change.low, change.high};
  };
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->median_moved = moved(of_medians[i].change);
    tested[i]->mean_moved = moved(of_means[i].change);
    if (of_means[i].has_enough_pairs)
      tested[i]->test = of_means[i].test;
    else
      tested[i]->pairs_needed = fewest_pairs(tested.size());
  }
}

// Cycles of 65,535 mean that many or more, so means are lower bounds and their change is not known.
void doubt_saturated(RunComparison& it, const CodeRun& old, const CodeRun& now) {
  it.saturated = old.saturated() + now.saturated();
  if (it.saturated == 0) return;
  it.test.reset();
  for (Estimated* mean : {&it.mean_before, &it.mean_after, &it.mean_moved})
    *mean = without_interval(mean->value);
  if (it.median_before.value < kMostCycles && it.median_after.value < kMostCycles) return;
  it.median_moved = without_interval(it.median_moved.value);
}

}  // namespace

ComparedRuns compare_runs(const RunSide& before, const RunSide& after) {
  ComparedRuns compared;
  compared.order = order_of(before.origins, after.origins);
  compared.evidence =
      evidence_of(before.origins, after.origins, compared.order,
                  {.damaged = before.damaged || after.damaged,
                   .equal = took_equal_samples(before) || took_equal_samples(after)});
  for (std::size_t run = 0; run < before.runs.size(); ++run) {
    if (!before.has_cycles(run) || !after.has_cycles(run)) {
      compared.missing.push_back(run);
      continue;
    }
    const std::size_t old = *before.runs[run], now = *after.runs[run];
    RunComparison it = compare_executions(before.blocks.runs[old], after.blocks.runs[now]);
    it.run = run;
    it.before = old;
    it.after = now;
    compared.runs.push_back(std::move(it));
  }
  if (compared.evidence == Evidence::pairs && !compared.runs.empty()) {
    const std::span<RunComparison> runs(compared.runs);
    test_family(before, after, runs.first(1));
    test_family(before, after, runs.subspan(1));
  }
  for (RunComparison& it : compared.runs)
    doubt_saturated(it, before.blocks.runs[it.before], after.blocks.runs[it.after]);
  return compared;
}

}  // namespace tacho
