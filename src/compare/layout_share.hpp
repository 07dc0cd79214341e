// How much of the spread between runs the memory layout explains.
#pragma once

#include <optional>
#include <string>

#include "base/number.hpp"
#include "compare/runs.hpp"
#include "stats/difference.hpp"

namespace tacho {

// The part of the variance of the primary metric that is there with shuffled layouts and not with a
// fixed one: 1 - V(fixed) / V(shuffled), of logarithms, over all commands. Each variance comes from
// the differences of successive blocks, so slow changes of the machine are in neither (J. von
// Neumann, Distribution of the ratio of the mean square successive difference to the variance, Ann.
// Math. Stat. 12 (1941)). Below 0 there was more spread with the fixed layout. The interval takes
// the logarithm of the ratio as normal. None without MemoryLayout::shuffled, or below 10 blocks.
std::optional<Estimated> layout_share(const PairedRuns& runs);

// The same in a sentence; empty if it is not known.
std::string layout_share_text(const PairedRuns& runs, const NumberStyle& style);

}  // namespace tacho
