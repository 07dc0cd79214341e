// Which of some values of the same kind are unlike the others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacho {

// With fewer values, nothing can be said: half of them could be odd.
inline constexpr std::size_t kFewestForOutliers = 4;

// Returns the indices of the values whose distance from the median is above both of these:
// - `cutoff` · √(scale² + sigma²), where `scale` is 1.4826 times the median absolute deviation
//   (F. R. Hampel, The influence curve and its role in robust estimation, J. Am. Stat. Assoc. 69
//   (1974)), and `sigma` is the standard uncertainty of the value itself;
// - 1 % of the median: a smaller difference does not matter.
// The cutoff depends on the number of values: if all come from one normal distribution, one of 100
// such sets has an outlier (outlier_cutoff()).
//
// `sigmas` has one number for each value. The result is empty for fewer than kFewestForOutliers.
std::vector<std::size_t> outliers(std::span<const double> values, std::span<const double> sigmas);

// How many robust standard deviations a value of `n` must be away, for one false alarm in 100 sets.
double outlier_cutoff(std::size_t n);

}  // namespace tacho
