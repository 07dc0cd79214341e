#include "stats/interval_ends.hpp"

#include <cmath>

namespace tacho {

IntervalEnds positive_ends95(double value, double half_width) {
  if (value == 0) return {0, half_width};
  if (value < 0) return {value - half_width, value + half_width};
  const double factor = std::exp(2 * std::asinh(half_width / value / 2));
  return {value / factor, value * factor};
}

bool needs_both_ends(double value, double half_width) {
  constexpr double kWide = 0.3;
  return half_width > kWide * std::abs(value);
}

}  // namespace tacho
