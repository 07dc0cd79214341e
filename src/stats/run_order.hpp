// Tests whether repeated runs depend on their order: neighbours are alike, or the runs drift.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacho {

// `series` are the figures of the same runs, such as elapsed time and counts: each has one value a
// run, in the order of the runs. Returns the indices of those in which neighbouring runs are more
// alike than in a random order. If the runs are independent of each other, the result is not empty
// with the probability `risk`, or less, whatever the distribution of the figures, and however many
// figures there are. The random orders know a risk of 1 % to ± 0.2 %. `risk` is at least 0.001.
//
// The statistic of a figure is von Neumann's ratio of its ranks (R. Bartels, The rank version of
// von Neumann's ratio test for randomness, J. Amer. Stat. Assoc. 77 (1982)). It is compared with
// the most extreme one of all figures, in each of 1,999 random orders of the runs. All figures are
// put into the same order, so their dependence on each other does no harm (P. H. Westfall and S. S.
// Young, Resampling-Based Multiple Testing, 1993, 2.3). The orders are the same in every call.
std::vector<std::size_t> depend_on_order(std::span<const std::vector<double>> series, double risk);

}  // namespace tacho
