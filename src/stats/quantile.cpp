#include "stats/quantile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "stats/clusters.hpp"
#include "stats/normal.hpp"

namespace tacho {
namespace {

constexpr double kOneTail = 0.025;        // probability outside of a 95 % interval, on one side
constexpr std::uint64_t kExactly = 1000;  // values; above, the normal approximation is used

// Returns the number of ranks on one side of the interval of a quantile: the greatest number of
// values for which fewer values are below the quantile with a probability of at most kOneTail.
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

// Returns the value of this rank, from 0.
std::uint64_t value_at(const Histogram& histogram, std::uint64_t rank) {
  std::uint64_t counted = 0;
  for (const auto& bin : histogram.bins()) {
    counted += bin.count;
    if (counted > rank) return bin.value;
  }
  return histogram.bins().back().value;
}

}  // namespace

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  if (values.size() % 2 == 1) return values[half];
  return (values[half - 1] + values[half]) / 2;
}

QuantileInterval quantile95(const Histogram& histogram, double q) {
  return quantile95(histogram, q, static_cast<double>(histogram.total()));
}

QuantileInterval quantile95(const Histogram& histogram, double q, double draws) {
  const std::uint64_t n = histogram.total();
  const auto worth = std::min(n, static_cast<std::uint64_t>(draws));
  const std::uint64_t under = ranks_outside(worth, q);
  const std::uint64_t over = ranks_outside(worth, 1 - q);
  // A draw is as much as n / worth ranks.
  const auto outside = [&](std::uint64_t ranks) -> std::uint64_t {
    if (ranks < 2) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(ranks - 1) * static_cast<double>(n) /
                                      static_cast<double>(worth));
  };
  return {value_at(histogram, outside(under)), value_at(histogram, n - 1 - outside(over)),
          under > 0 && over > 0};
}

Estimated quantile95_in_order(std::span<const std::uint64_t> values, double q) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.add(value);
  const std::uint64_t quantile = histogram.quantile(q);
  std::array<Cluster, 10> stretches;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double below = values[i] < quantile ? 1 : 0;
    if (values[i] == quantile) below = 0.5;
    Cluster& stretch = stretches[i * stretches.size() / values.size()];
    ++stretch.draws;
    stretch.sum += below;
    squares += below * below;
  }
  const ClusterEffect effect = cluster_effect(stretches, squares, DrawnFrom::endless_run);
  const QuantileInterval interval =
      quantile95(histogram, q, independent_draws(static_cast<double>(values.size()), effect));
  return estimated(quantile, interval);
}

Estimated estimated(std::uint64_t quantile, const QuantileInterval& interval) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  return {static_cast<double>(quantile),
          interval.sure ? static_cast<double>(interval.low) : -kUnbounded,
          interval.sure ? static_cast<double>(interval.high) : kUnbounded};
}

}  // namespace tacho
