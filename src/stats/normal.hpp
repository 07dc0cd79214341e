// Of the normal distribution.
#pragma once

namespace tacho {

inline constexpr double kTwoSided95 = 1.959963984540054;  // 95 % lie within so many deviations

}  // namespace tacho
