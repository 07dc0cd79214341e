#include "stats/rank_distribution.hpp"

#include <cmath>
#include <numeric>

namespace tacho {
namespace {

// Differences up to which W is exact. The exact distribution takes n³/6 steps: 1 ms for 200.
constexpr std::size_t kMostSignedRanks = 200;

}  // namespace

RankDistribution RankDistribution::signed_ranks(std::size_t n) {
  const auto count = static_cast<double>(n);
  const std::uint64_t largest = std::uint64_t{n} * (n + 1) / 2;
  RankDistribution w(largest, count * (count + 1) * (2 * count + 1) / 24);
  if (n > kMostSignedRanks) return w;
  // Each rank is added or not, with probability 1/2.
  std::vector<double> probability(largest + 1);
  probability[0] = 1;
  std::size_t sum = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    sum += rank;
    for (std::size_t i = sum; i >= rank; --i)
      probability[i] = (probability[i] + probability[i - rank]) / 2;
    for (std::size_t i = 0; i < rank; ++i) probability[i] /= 2;
  }
  w.exact_.resize(probability.size());
  std::partial_sum(probability.begin(), probability.end(), w.exact_.begin());
  return w;
}

double RankDistribution::at_most(std::uint64_t w) const {
  if (w >= largest_) return 1;
  if (!exact_.empty()) return exact_[w];
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
