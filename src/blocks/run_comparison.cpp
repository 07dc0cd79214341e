#include "blocks/run_comparison.hpp"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// Of each of two modes: they are the same one moved unless that costs more.
constexpr double kUnpaired = 0.4;

Estimated median_of(const Run& run) {
  return estimated(run.cycles.quantile(0.5), median95(run));
}

Estimated place_of(const Mode& mode) {
  return {mode.middle, mode.middle_low, mode.middle_high};
}

// Of a mode that is not there, none of the executions.
Estimated share_of(const std::vector<Mode>& modes, std::optional<std::size_t> index,
                   const Run& run) {
  const ShareInterval interval = index ? modes[*index].share95 : none95(run);
  return {index ? modes[*index].share : 0, interval.low, interval.high};
}

using Pair = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

// The pairing in order that costs least: how far each mode moved, as a logarithm, and by how much
// its share changed; for each mode that is left alone, half of what is too much for a pair.
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
  const Run& wanted = before.runs[run];
  const RunModule& module = before.modules[wanted.module];
  const auto find = [&](auto is_same) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(after.runs, is_same);
    if (found == after.runs.end()) return std::nullopt;
    return static_cast<std::size_t>(found - after.runs.begin());
  };
  const auto same_code = find([&](const Run& each) {
    const RunModule& other = after.modules[each.module];
    const bool same_file = module.build_id.empty() || other.build_id.empty()
                               ? module.path == other.path
                               : module.build_id == other.build_id;
    return same_file && each.start == wanted.start && each.end == wanted.end;
  });
  if (same_code || wanted.function.empty()) return same_code;
  return find([&](const Run& each) {
    return each.function == wanted.function && each.function_offset == wanted.function_offset &&
           each.instructions == wanted.instructions &&
           each.end - each.start == wanted.end - wanted.start;
  });
}

std::optional<RunComparison> compare_runs(const Blocks& before, std::size_t run,
                                          const Blocks& after, std::size_t same) {
  const Run& old = before.runs[run];
  const Run& now = after.runs[same];
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

}  // namespace tacho
