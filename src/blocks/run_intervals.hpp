// How sure the figures of a run are. Executions in one stack are neighbours in time and resemble
// each other. So the 95 % intervals are computed from the differences between the kept stacks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "blocks/code_runs.hpp"
#include "stats/difference.hpp"
#include "stats/modes.hpp"
#include "stats/quantile.hpp"
#include "stats/share.hpp"

namespace tacho {

struct BranchRatio {
  double value = 0;
  ShareInterval ci95;
};
// Absent if no execution says whether its last branch was predicted.
std::optional<BranchRatio> mispredict_ratio(const CodeRun&);
// The run must have cycles, here and in the functions below.
QuantileInterval median95(const CodeRun&);
// Its limits are infinite if fewer than ten stacks contain the run.
Estimated mean95(const CodeRun&);
// Half-width of a ratio's numerator, as of a ratio of sums (W. G. Cochran, Sampling Techniques, 3rd
// ed., ch. 6). `residual` gives, for the cycles of an execution, its part of the numerator less the
// ratio times its part of the denominator. Infinite if fewer than ten stacks contain the
// run.
double sum95(const CodeRun&, const std::function<double(std::uint64_t cycles)>& residual);
// Share of the executions: a hump with fewer of them is not a mode of its own.
inline constexpr double kLeastModeShare = 0.02;
std::vector<Mode> modes_of(const CodeRun&);
// The interval of a share of the executions that was seen in none of them.
ShareInterval none95(const CodeRun&);

}  // namespace tacho
