// The distributions of rank statistics if the hypothesis is true. They give p-values, and the ranks
// of the limits of intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacho {

// The distribution of a count of pairs, 0 to `largest()`. It is symmetric. It is exact for up to
// 200 values; above, it is a normal distribution with continuity correction.
class RankDistribution {
 public:
  // Wilcoxon's W for n differences: the sum of those ranks 1…n that a fair coin chooses. It is also
  // the number of averages of two differences (or of one with itself) that are above the true
  // centre.
  static RankDistribution signed_ranks(std::size_t n);

  // The number of pairs of values in the wrong order, where the groups have an order and each has
  // this number of values. Pairs within a group do not count. Kendall's S is `largest()` less twice
  // this number (M. G. Kendall, Rank Correlation Methods, 4.3 to 4.7).
  static RankDistribution wrong_orders(std::span<const std::size_t> groups);

  std::uint64_t largest() const { return largest_; }

  // Returns P(count <= w).
  double at_most(std::uint64_t w) const;

  // Returns the k for which the k-th smallest and the k-th largest value of a pair are the limits
  // of the interval with the confidence 1 - level: the largest k with 2 P(count <= k - 1) <= level.
  // 0 if there is none.
  std::uint64_t limit_rank(double level) const;

 private:
  RankDistribution(std::uint64_t largest, double variance)
      : largest_(largest), variance_(variance) {}

  std::uint64_t largest_;
  double variance_;
  std::vector<double> exact_;  // P(count <= w) for each w; empty for the normal distribution
};

}  // namespace tacho
