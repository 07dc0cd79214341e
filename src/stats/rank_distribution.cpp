#include "stats/rank_distribution.hpp"

#include <cmath>
#include <numeric>

namespace tacho {
namespace {

// Values up to which distributions are exact. This takes n³/6 steps for W and n³/2 for wrong
// orders: 6 ms at most.
constexpr std::size_t kMostExact = 200;

// Returns the sums of the first 1, 2, 3… values.
std::vector<double> cumulative(const std::vector<double>& values) {
  std::vector<double> sums(values.size());
  std::partial_sum(values.begin(), values.end(), sums.begin());
  return sums;
}

}  // namespace

RankDistribution RankDistribution::signed_ranks(std::size_t n) {
  const auto count = static_cast<double>(n);
  const std::uint64_t largest = std::uint64_t{n} * (n + 1) / 2;
  RankDistribution w(largest, count * (count + 1) * (2 * count + 1) / 24);
  if (n > kMostExact) return w;
  // Each rank is added or not, with probability 1/2.
  std::vector<double> probability(static_cast<std::size_t>(largest + 1));
  probability[0] = 1;
  std::size_t sum = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    sum += rank;
    for (std::size_t i = sum; i >= rank; --i)
      probability[i] = (probability[i] + probability[i - rank]) / 2;
    for (std::size_t i = 0; i < rank; ++i) probability[i] /= 2;
  }
  w.exact_ = cumulative(probability);
  return w;
}

RankDistribution RankDistribution::wrong_orders(std::span<const std::size_t> groups) {
  std::size_t all = 0;
  std::uint64_t pairs = 0;
  double variance = 0;
  const auto moment = [](std::size_t n) {
    const auto count = static_cast<double>(n);
    return count * (count - 1) * (2 * count + 5) / 72;
  };
  for (const std::size_t group : groups) {
    pairs += std::uint64_t{all} * group;
    all += group;
    variance -= moment(group);
  }
  RankDistribution orders(pairs, variance + moment(all));
  if (all > kMostExact) return orders;
  // The generating function is that of the inversions of a multiset, Π (1 - q^m) / Π (1 - q^i) with
  // m from 1 to the number of values and i from 1 to the size of each group (G. E. Andrews, The
  // Theory of Partitions, 3.4). Each pair of factors leaves a polynomial with positive terms.
  std::vector<double> probability(static_cast<std::size_t>(pairs + 1));
  probability[0] = 1;
  std::size_t m = 0, degree = 0;
  for (const std::size_t group : groups) {
    const std::size_t earlier = m;
    for (std::size_t i = 1; i <= group; ++i) {
      ++m;
      degree += earlier;
      for (std::size_t k = degree; k >= m; --k) probability[k] -= probability[k - m];
      for (std::size_t k = i; k <= degree; ++k) probability[k] += probability[k - i];
      const double share = static_cast<double>(i) / static_cast<double>(m);
      for (std::size_t k = 0; k <= degree; ++k) probability[k] *= share;
    }
  }
  orders.exact_ = cumulative(probability);
  return orders;
}

double RankDistribution::at_most(std::uint64_t w) const {
  if (w >= largest_) return 1;
  if (!exact_.empty()) return exact_[static_cast<std::size_t>(w)];
  const double above = static_cast<double>(w) + 0.5 - static_cast<double>(largest_) / 2;
  return std::erfc(-above / std::sqrt(2 * variance_)) / 2;
}

std::uint64_t RankDistribution::limit_rank(double level) const {
  std::uint64_t low = 0, high = largest_;
  while (low < high) {
    const std::uint64_t k = low + (high - low + 1) / 2;
    if (2 * at_most(k - 1) <= level)
      low = k;
    else
      high = k - 1;
  }
  return low;
}

}  // namespace tacho
