#include "stats/normal.hpp"

#include <cmath>

namespace tacho {

double normal_tail(double z) {
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

double normal_z(double tails) {
  double low = 0, high = 38;
  while (high - low > 1e-15 * (1 + high)) {
    const double z = (low + high) / 2;
    (2 * normal_tail(z) > tails ? low : high) = z;
  }
  return (low + high) / 2;
}

}  // namespace tacho
