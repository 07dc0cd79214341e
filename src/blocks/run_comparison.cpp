#include "blocks/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "blocks/run_intervals.hpp"

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

}  // namespace

std::optional<std::size_t> same_run(const Blocks& before, std::size_t run, const Blocks& after) {
  const CodeRun& wanted = before.runs[run];
  const RunModule& module = before.modules[wanted.module];
  const auto find = [&](auto is_same) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(after.runs, is_same);
    if (found == after.runs.end()) return std::nullopt;
    return static_cast<std::size_t>(found - after.runs.begin());
  };
  const auto same_code = find([&](const CodeRun& each) {
    const RunModule& other = after.modules[each.module];
    const bool same_file = module.build_id.empty() || other.build_id.empty()
                               ? module.path == other.path
                               : module.build_id == other.build_id;
    return same_file && each.start == wanted.start && each.end == wanted.end;
  });
  if (same_code || wanted.function.empty()) return same_code;
  return find([&](const CodeRun& each) {
    return each.function == wanted.function && each.function_offset == wanted.function_offset &&
           each.instructions == wanted.instructions &&
           each.end - each.start == wanted.end - wanted.start;
  });
}

std::optional<RunComparison> compare_runs(const Blocks& before, std::size_t run,
                                          const Blocks& after, std::size_t same) {
  const CodeRun& old = before.runs[run];
  const CodeRun& now = after.runs[same];
  if (old.cycles.empty() || now.cycles.empty()) return std::nullopt;
  RunComparison it;
  it.before = run;
  it.after = same;
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

ComparedRuns compare_all(const Blocks& before, std::span<const std::size_t> runs,
                         const Blocks& after) {
  ComparedRuns compared;
  for (const std::size_t run : runs) {
    const auto same = same_run(before, run, after);
    auto comparison = same ? compare_runs(before, run, after, *same) : std::nullopt;
    if (comparison)
      compared.runs.push_back(std::move(*comparison));
    else
      compared.missing.push_back(run);
  }
  return compared;
}

}  // namespace tacho
