// Quantiles of one sketch, or of several that were added up.
#include "caliper/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacho::caliper {

double quantile(std::span<const double, Sketch::kBuckets> sums, double q) noexcept {
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double rank = std::max(1.0, std::ceil(q * all));
  double below = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    below += sums[i];
    if (below >= rank) return Sketch::middle_of(i);
  }
  return 0;
}

}  // namespace tacho::caliper
