// Wilcoxon's signed-rank test: a published example, all sign patterns, and how often it is wrong.
#include "stats/signed_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "stats/rank_distribution.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> normal_values(std::size_t n, double mean, std::mt19937_64& random) {
  std::normal_distribution<double> normal(mean, 1);
  std::vector<double> values(n);
  for (double& value : values) value = normal(random);
  return values;
}

std::vector<double> sorted_averages(const std::vector<double>& values) {
  std::vector<double> averages;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  std::ranges::sort(averages);
  return averages;
}

// Depression scores of nine patients before and after a therapy (M. Hollander and D. A. Wolfe,
// Nonparametric Statistical Methods, example 3.1), which is R's example of wilcox.test(): V = 40,
// and one-sided p = 0.01953.
TEST(SignedRank, AgreesWithATextbook) {
  const std::vector<double> before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> differences;
  for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(after[i] - before[i]);
  const SignedRank found = signed_rank(differences, 0.04);
  EXPECT_DOUBLE_EQ(found.p, 2 * 10.0 / 512);
  EXPECT_NEAR(found.estimate, -0.46, 1e-9);
  EXPECT_NEAR(found.low, -0.786, 1e-9);
  EXPECT_NEAR(found.high, -0.010, 1e-9);
}

// W of the ranks of the absolute values, and the share of all sign patterns that are as far out.
double p_of_all_patterns(const std::vector<double>& values) {
  std::vector<double> by_size = values;
  std::ranges::sort(by_size, {}, [](double value) { return std::fabs(value); });
  std::size_t seen = 0;
  for (std::size_t i = 0; i < by_size.size(); ++i) seen += by_size[i] > 0 ? i + 1 : 0;
  int as_small = 0, as_large = 0;
  for (unsigned signs = 0; signs < 1U << values.size(); ++signs) {
    std::size_t w = 0;
    for (std::size_t i = 0; i < values.size(); ++i) w += (signs >> i & 1U) != 0 ? i + 1 : 0;
    as_small += w <= seen ? 1 : 0;
    as_large += w >= seen ? 1 : 0;
  }
  return std::min(1.0, 2.0 * std::min(as_small, as_large) / std::ldexp(1, int(values.size())));
}

TEST(SignedRank, IsExactForValuesWithoutTies) {
  std::mt19937_64 random(1);
  for (std::size_t n = 1; n <= 10; ++n)
    for (const double mean : {0.0, 0.7}) {
      const std::vector<double> values = normal_values(n, mean, random);
      EXPECT_DOUBLE_EQ(signed_rank(values).p, p_of_all_patterns(values)) << n;
    }
}

TEST(SignedRank, LimitsAndEstimateAreAverages) {
  std::mt19937_64 random(2);
  for (const std::size_t n : {1U, 2U, 6U, 7U, 10U, 31U, 80U, 230U}) {
    const std::vector<double> values = normal_values(n, 0.2, random);
    const std::vector<double> averages = sorted_averages(values);
    const SignedRank found = signed_rank(values);
    const std::size_t m = averages.size();
    EXPECT_DOUBLE_EQ(found.estimate, (averages[(m - 1) / 2] + averages[m / 2]) / 2) << n;
    const auto k = static_cast<std::size_t>(RankDistribution::signed_ranks(n).limit_rank(0.05));
    EXPECT_EQ(found.low, k > 0 ? averages[k - 1] : -kInfinity) << n;
    EXPECT_EQ(found.high, k > 0 ? averages[m - k] : kInfinity) << n;
  }
}

// The p-value of the hypothesis that the centre is `shift`.
double p_of(std::vector<double> values, double shift) {
  for (double& value : values) value -= shift;
  return signed_rank(values).p;
}

// Values on a coarse grid have many ties and zeros, and averages that are exactly 0.
TEST(SignedRank, TheIntervalExcludesAShiftIfAndOnlyIfItsPValueIsAtMostTheLevel) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> length(1, 24), coarse(-3, 5);
  int excluded = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> values(static_cast<std::size_t>(length(random)));
    for (double& value : values) value = coarse(random);
    if (i % 5 == 0) values.front() = kInfinity;
    if (i % 7 == 0) values.back() = -kInfinity;
    for (const double level : {0.05, 0.0158, 0.0625}) {
      const SignedRank found = signed_rank(values, level);
      EXPECT_EQ(found.low > 0 || found.high < 0, found.p <= level) << i;
      excluded += found.p <= level ? 1 : 0;
      EXPECT_LE(found.low, found.estimate);
      EXPECT_LE(found.estimate, found.high);
      if (i % 35 == 0) continue;  // the average of both infinities is 0, wherever the centre is
      for (const double shift : {-1.0, 0.5, 1.25, 2.0})
        EXPECT_EQ(found.low > shift || found.high < shift, p_of(values, shift) <= level);
    }
  }
  EXPECT_GT(excluded, 50);
  EXPECT_LT(excluded, 1150);
}

TEST(SignedRank, OfZerosIsZero) {
  const SignedRank found = signed_rank(std::vector<double>(10, 0.0));
  EXPECT_EQ(found.p, 1);
  EXPECT_EQ(found.estimate, 0);
  EXPECT_EQ(found.low, 0);
  EXPECT_EQ(found.high, 0);
  EXPECT_EQ(signed_rank(std::vector{0.0, -0.0}).low, -kInfinity) << "too few";
}

TEST(SignedRank, OfOneDifferenceHasNoLimits) {
  const SignedRank found = signed_rank(std::vector{0.3});
  EXPECT_EQ(found.estimate, 0.3);
  EXPECT_EQ(found.low, -kInfinity);
  EXPECT_EQ(found.high, kInfinity);
  EXPECT_EQ(found.p, 1);
}

TEST(SignedRank, InfiniteDifferencesAreLargerThanAllOthers) {
  // As a large number instead: the ranks are the same.
  const auto with = [](double large) {
    return std::vector{large, 0.3, -0.1, 0.2, -large, 0.4, 0.6, 0.7, large, 0.5};
  };
  const SignedRank infinite = signed_rank(with(kInfinity));
  const SignedRank large = signed_rank(with(1e9));
  EXPECT_EQ(infinite.p, large.p);
  EXPECT_EQ(infinite.estimate, large.estimate);
  EXPECT_EQ(infinite.low, large.low) << "8 averages are infinite, and k is 9";
  EXPECT_EQ(infinite.high, kInfinity);
  const SignedRank all = signed_rank(std::vector<double>(10, kInfinity));
  EXPECT_EQ(all.low, kInfinity) << "every value is below the interval";
  EXPECT_EQ(all.high, kInfinity);
  EXPECT_EQ(all.estimate, kInfinity);
  EXPECT_DOUBLE_EQ(all.p, 2.0 / 1024);
  // An event of one command only, which happened in two runs of ten.
  std::vector<double> rare(10, 0.0);
  rare[3] = rare[7] = -kInfinity;
  EXPECT_EQ(signed_rank(rare).estimate, 0);
  EXPECT_EQ(signed_rank(rare).high, 0);
  // Both signs in equal numbers show no difference.
  const SignedRank both = signed_rank(std::vector{-kInfinity, kInfinity});
  EXPECT_EQ(both.estimate, 0);
  EXPECT_EQ(both.p, 1);
}

TEST(SignedRank, TakesTheLargestAndTheSmallestNumbers) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(signed_rank(std::vector<double>(6, kLargest)).low, kLargest);
  EXPECT_EQ(signed_rank(std::vector<double>(6, -kLargest)).high, -kLargest);
  EXPECT_EQ(signed_rank(std::vector<double>(6, kSmallest)).low, kSmallest);
  EXPECT_EQ(signed_rank(std::vector<double>(6, -kSmallest)).high, -kSmallest);
}

// 2 · 10⁸ averages. The variance of the estimate from normal values is π/3 / n.
TEST(SignedRank, OfManyDifferencesNeedsNoStoreForTheAverages) {
  constexpr std::size_t kMany = 20'000;
  std::mt19937_64 random(4);
  const SignedRank found = signed_rank(normal_values(kMany, 0.02, random));
  const double half = 1.96 * std::sqrt(std::numbers::pi / 3 / kMany);
  EXPECT_NEAR(found.estimate, 0.02, half);
  EXPECT_NEAR(found.high - found.low, 2 * half, 0.02 * half);
}

// Double exponential (Laplace) differences, which are symmetric and have heavy tails.
TEST(SignedRank, IntervalsHoldTheCentreOfAnySymmetricDistribution) {
  constexpr int kTimes = 2000;
  std::mt19937_64 random(5);
  std::exponential_distribution<double> size(1);
  for (const std::size_t n : {6U, 10U, 20U}) {
    const auto w = RankDistribution::signed_ranks(n);
    const double nominal = 1 - 2 * w.at_most(w.limit_rank(0.05) - 1);
    int held = 0;
    for (int i = 0; i < kTimes; ++i) {
      std::vector<double> values(n);
      for (double& value : values) value = 0.4 + (random() % 2 == 0 ? 1 : -1) * size(random);
      const SignedRank found = signed_rank(values);
      held += found.low <= 0.4 && 0.4 <= found.high ? 1 : 0;
    }
    EXPECT_NEAR(1.0 * held / kTimes, nominal, 0.012) << n;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
