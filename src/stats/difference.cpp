#include "stats/difference.hpp"

#include <cmath>
#include <limits>

namespace tacho {

Estimated without_interval(double value) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return {value, -kInfinite, kInfinite};
}

Estimated scaled(const Estimated& value, double by) {
  return {value.value * by, value.low * by, value.high * by};
}

Estimated difference95(const Estimated& before, const Estimated& after) {
  const double value = after.value - before.value;
  return {value, value - std::hypot(after.value - after.low, before.high - before.value),
          value + std::hypot(after.high - after.value, before.value - before.low)};
}

}  // namespace tacho
