#include "stats/quantile.hpp"

#include <algorithm>
#include <cmath>

#include "stats/normal.hpp"

namespace tacho {
namespace {

constexpr double kOneTail = 0.025;
constexpr std::uint64_t kExactly = 1000;  // above, the normal distribution tells the ranks as well

// The greatest number of n values that lie below the quantile less often than in one tail: how many
// ranks are on this side of the interval.
std::uint64_t ranks_outside(std::uint64_t n, double q) {
  const auto count = static_cast<double>(n);
  if (n > kExactly)
    return static_cast<std::uint64_t>(
        std::max(0.0, std::floor(count * q - kTwoSided95 * std::sqrt(count * q * (1 - q)))));
  double below = 0;
  for (std::uint64_t k = 0; k < n; ++k) {
    const auto at = static_cast<double>(k);
    below += std::exp(std::lgamma(count + 1) - std::lgamma(at + 1) - std::lgamma(count - at + 1) +
                      at * std::log(q) + (count - at) * std::log1p(-q));
    if (below > kOneTail) return k;
  }
  return n;
}

// The value with so many before it in the order of values.
std::uint64_t value_at(const Histogram& histogram, std::uint64_t rank) {
  std::uint64_t held = 0;
  for (const auto& bin : histogram.bins()) {
    held += bin.count;
    if (held > rank) return bin.value;
  }
  return histogram.bins().back().value;
}

}  // namespace

QuantileInterval quantile95(const Histogram& histogram, double q) {
  const std::uint64_t n = histogram.total();
  const std::uint64_t under = ranks_outside(n, q);
  const std::uint64_t over = ranks_outside(n, 1 - q);
  return {value_at(histogram, under == 0 ? 0 : under - 1),
          value_at(histogram, over == 0 ? n - 1 : n - over), under > 0 && over > 0};
}

}  // namespace tacho
