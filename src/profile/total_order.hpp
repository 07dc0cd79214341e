// The rows of a profile in the order of their totals, as `perf report --children` has them.
#pragma once

#include "base/result.hpp"
#include "profile/summary.hpp"

namespace tacho {

// Sorts the rows by their shares of call chains, the largest first. What is said about the order of
// shares is dropped. Error: the recording has no call chains.
Result<void> sort_by_total(ProfileSummary&);

}  // namespace tacho
