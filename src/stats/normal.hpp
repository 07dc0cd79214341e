// Of the normal distribution.
#pragma once

#include <numbers>

namespace tacho {

inline constexpr double kTwoSided95 = 1.959963984540054;  // 95 % lie within so many deviations
// The variance of the median of many values is so many times that of their mean.
inline constexpr double kMedianVariance = std::numbers::pi / 2;

}  // namespace tacho
