// The tests of order, compared with probabilities calculated by hand and by counting.
#include "stats/homogeneity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

TEST(RunsTest, IsExact) {
  // Of the C(6, 3) = 20 orders, 2 have two runs, 4 have three, 8 have four.
  EXPECT_NEAR(runs_test(std::vector<double>{-1, -2, -1, 3, 1, 1}), 2.0 / 20, 1e-12);
  EXPECT_NEAR(runs_test(std::vector<double>{-1, -2, 3, 1, 1, -1}), 6.0 / 20, 1e-12);
  EXPECT_NEAR(runs_test(std::vector<double>{-1, 2, 3, -1, 1, -1}), 18.0 / 20, 1e-12);
}

TEST(RunsTest, AgreesWithCountingEveryOrder) {
  std::vector<double> order{-1, -1, -1, -1, 1, 1, 1, 1, 1};
  const std::vector<double> seen{-1, -1, 1, 1, 1, -1, -1, 1, 1};  // four runs
  int all = 0;
  int as_few = 0;
  do {
    int runs = 1;
    for (std::size_t i = 1; i < order.size(); ++i) runs += order[i] != order[i - 1] ? 1 : 0;
    as_few += runs <= 4 ? 1 : 0;
    ++all;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_NEAR(runs_test(seen), static_cast<double>(as_few) / all, 1e-12);
}

TEST(RunsTest, LeavesZerosOutAndGivesOneForOneSign) {
  EXPECT_NEAR(runs_test(std::vector<double>{-1, 0, -2, -1, 0, 3, 1, 1}), 2.0 / 20, 1e-12);
  EXPECT_EQ(runs_test(std::vector<double>{1, 2, 3}), 1);
  EXPECT_EQ(runs_test(std::vector<double>{}), 1);
}

TEST(CusumTest, IsKolmogorovsProbability) {
  // 50 low, then 50 high: furthest 50, s = √(100/99), so x = 50 / (√(100/99) · 10) = 4.975.
  std::vector<double> step(100, -1.0);
  std::fill(step.begin() + 50, step.end(), 1.0);
  EXPECT_NEAR(cusum_test(step) / (2 * std::exp(-2 * 4.975 * 4.975)), 1, 0.02);
  // Kolmogorov's 5 % point is 1.358; alternating signs stay far below it.
  std::vector<double> even;
  for (int i = 0; i < 100; ++i) even.push_back(i % 2 == 0 ? 1 : -1);
  EXPECT_GT(cusum_test(even), 0.99);
  EXPECT_EQ(cusum_test(std::vector<double>(10, 0.0)), 1);
}

TEST(Homogeneity, FindsAnEarlyPhase) {
  std::vector<double> counts(40, 1000.0), covered(40, 100.0);
  for (std::size_t i = 0; i < 8; ++i) counts[i] = 10'000;
  const Homogeneity found = check_homogeneity(counts, covered, 0.001);
  EXPECT_TRUE(found.phases);
  EXPECT_GT(found.swing, 0.5);
}

TEST(Homogeneity,
     LetsSmallChangesPass) {  // a rise of 2 % in the second half is significant, but too small
  std::vector<double> counts(200, 1'000'000.0), covered(200, 100.0);
  for (std::size_t i = 100; i < 200; ++i) counts[i] = 1'020'000;
  EXPECT_FALSE(check_homogeneity(counts, covered, 0.001).phases);
}

TEST(Homogeneity, DoesNotTakeLongerPeriodsForMoreWork) {
  std::vector<double> counts, covered;
  for (int i = 0; i < 60; ++i) {
    covered.push_back(i < 20 ? 10.0 : 100.0);
    counts.push_back(covered.back() * (i % 3 == 0 ? 9 : 11));
  }
  const Homogeneity found = check_homogeneity(counts, covered, 0.001);
  EXPECT_FALSE(found.phases);
  EXPECT_FALSE(found.bursts);
}

TEST(Homogeneity, FindsBursts) {
  std::vector<double> counts(40, 10.0), covered(40, 100.0);
  counts[7] = counts[30] = 5000;
  EXPECT_TRUE(check_homogeneity(counts, covered, 0.001).bursts);
  EXPECT_FALSE(check_homogeneity(counts, covered, 0.001).phases);
}

TEST(Homogeneity, DoesNotTakeAFewSingleEventsForBursts) {
  std::vector<double> counts(50, 0.0), covered(50, 100.0);
  counts[7] = counts[30] = counts[44] = 1;
  EXPECT_FALSE(check_homogeneity(counts, covered, 0.001).bursts);
}

TEST(Homogeneity, FindsNothingInACountOfZero) {
  const Homogeneity found =
      check_homogeneity(std::vector<double>(20, 0.0), std::vector<double>(20, 5.0), 0.001);
  EXPECT_FALSE(found.phases || found.bursts);
}

}  // namespace
}  // namespace tacho::TEST_FILE
