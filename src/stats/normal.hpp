// The normal distribution: constants, tail probabilities and quantiles.
#pragma once

#include <numbers>

namespace tacho {

// 95 % of the values are within this many standard deviations of the mean.
inline constexpr double kTwoSided95 = 1.959963984540054;
// Variance of the median of many values over the variance of their mean.
inline constexpr double kMedianVariance = std::numbers::pi / 2;

// Returns P(Z > z), for a standard normal Z.
double normal_tail(double z);

// Returns the z for which P(|Z| > z) is `tails`: 0 if it is 1, and 38 at most, where the
// probability is below the smallest number.
double normal_z(double tails);

}  // namespace tacho
