// Constants of the normal distribution.
#pragma once

#include <numbers>

namespace tacho {

// 95 % of the values are within this many standard deviations of the mean.
inline constexpr double kTwoSided95 = 1.959963984540054;
// Variance of the median of many values over the variance of their mean.
inline constexpr double kMedianVariance = std::numbers::pi / 2;

}  // namespace tacho
