// The distributions of rank statistics, compared with tables and with counting.
#include "stats/rank_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

TEST(SignedRanks, AreDistributedAsAllSignPatternsAre) {
  for (std::size_t n = 1; n <= 12; ++n) {
    const auto w = RankDistribution::signed_ranks(n);
    ASSERT_EQ(w.largest(), n * (n + 1) / 2);
    std::vector<double> patterns(static_cast<std::size_t>(w.largest()) + 1);
    for (unsigned signs = 0; signs < 1U << n; ++signs) {
      std::size_t sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += (signs >> i & 1U) != 0 ? i + 1 : 0;
      ++patterns[sum];
    }
    double as_small = 0;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      as_small += patterns[i];
      EXPECT_DOUBLE_EQ(w.at_most(i), as_small / std::ldexp(1, static_cast<int>(n))) << n;
    }
  }
}

TEST(SignedRanks, AgreeWithPublishedTables) {  // Hollander and Wolfe, table A.4
  EXPECT_NEAR(RankDistribution::signed_ranks(10).at_most(8), 0.0244, 5e-5);
  EXPECT_NEAR(RankDistribution::signed_ranks(15).at_most(25), 0.0240, 5e-5);
  // Critical values of W for 5 % two-sided are one less than the ranks of the limits.
  struct Row {
    std::size_t n;
    std::uint64_t critical;
  };
  for (const Row row : {Row{6, 0}, Row{7, 2}, Row{8, 3}, Row{9, 5}, Row{10, 8}, Row{12, 13},
                        Row{15, 25}, Row{20, 52}, Row{25, 89}, Row{30, 137}, Row{50, 434}})
    EXPECT_EQ(RankDistribution::signed_ranks(row.n).limit_rank(0.05), row.critical + 1) << row.n;
}

TEST(SignedRanks, HaveNoLimitsWhereThereAreTooFewForTheLevel) {
  EXPECT_EQ(RankDistribution::signed_ranks(5).limit_rank(0.05), 0U);
  EXPECT_EQ(RankDistribution::signed_ranks(5).limit_rank(0.0625), 1U) << "2 / 2^5";
  EXPECT_EQ(RankDistribution::signed_ranks(1).limit_rank(0.5), 0U);
  EXPECT_EQ(RankDistribution::signed_ranks(10).limit_rank(0.001), 0U);
}

// From 200 differences to 201, the exact distribution ends and the normal one begins.
TEST(SignedRanks, GoOverToTheNormalDistributionWithoutAStep) {
  const auto exact = RankDistribution::signed_ranks(200);
  const auto normal = RankDistribution::signed_ranks(201);
  for (const double level : {0.3, 0.05, 0.016, 0.01}) {
    const double sd = std::sqrt(200.0 * 201 * 401 / 24);
    const double next = std::sqrt(201.0 * 202 * 403 / 24);
    const double z = (static_cast<double>(exact.limit_rank(level)) - 200.0 * 201 / 4) / sd;
    const double z_next = (static_cast<double>(normal.limit_rank(level)) - 201.0 * 202 / 4) / next;
    EXPECT_NEAR(z, z_next, 0.01) << level;
  }
  EXPECT_NEAR(normal.at_most(normal.largest() / 2), 0.5, 1e-3);
  EXPECT_EQ(normal.at_most(normal.largest()), 1);
  EXPECT_EQ(exact.at_most(exact.largest()), 1);
}

TEST(WrongOrders, AreDistributedAsAllOrdersAre) {
  for (const std::vector<std::size_t>& groups : {std::vector<std::size_t>{1},
                                                 {4},
                                                 {1, 1},
                                                 {1, 1, 1, 1, 1, 1},
                                                 {3, 3},
                                                 {2, 1, 3},
                                                 {2, 2, 2},
                                                 {1, 4, 2, 1},
                                                 {5, 4}}) {
    std::vector<std::size_t> order;
    for (std::size_t group = 0; group < groups.size(); ++group)
      order.insert(order.end(), groups[group], group);
    const auto orders = RankDistribution::wrong_orders(groups);
    std::vector<double> seen(static_cast<std::size_t>(orders.largest()) + 1);
    double all = 0;
    do {
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t k = i + 1; k < order.size(); ++k) wrong += order[i] > order[k] ? 1U : 0U;
      ++seen.at(wrong);
      ++all;
    } while (std::ranges::next_permutation(order).found);
    double as_few = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      as_few += seen[i];
      EXPECT_NEAR(orders.at_most(i), as_few / all, 1e-14) << groups.size() << " groups, " << i;
    }
  }
}

// Kendall's S of 10 values without ties (M. G. Kendall, Rank Correlation Methods, table 1). With
// two groups the count is Mann and Whitney's U, whose critical values for 5 % are in many books.
TEST(WrongOrders, AgreeWithPublishedTables) {
  const auto kendall = RankDistribution::wrong_orders(std::vector<std::size_t>(10, 1));
  ASSERT_EQ(kendall.largest(), 45U);
  EXPECT_NEAR(kendall.at_most((45 - 21) / 2), 0.036, 5e-4);
  EXPECT_NEAR(kendall.at_most((45 - 23) / 2), 0.023, 5e-4);
  const auto mann_whitney = [](std::size_t n) {
    return RankDistribution::wrong_orders(std::vector{n, n}).limit_rank(0.05) - 1;
  };
  EXPECT_EQ(mann_whitney(10), 23U);
  EXPECT_EQ(mann_whitney(20), 127U);
}

TEST(WrongOrders, GoOverToTheNormalDistributionWithoutAStep) {
  for (const std::size_t size : {1U, 2U, 5U, 50U}) {  // 200 values: the exact distribution
    std::vector<std::size_t> groups(200 / size, size);
    const auto exact = RankDistribution::wrong_orders(groups);
    groups.push_back(1);
    const auto normal = RankDistribution::wrong_orders(groups);
    const auto relative = [](const RankDistribution& orders) {
      return static_cast<double>(orders.limit_rank(0.05)) / static_cast<double>(orders.largest());
    };
    EXPECT_NEAR(relative(exact), relative(normal), 1e-3) << size;
    EXPECT_NEAR(exact.at_most(exact.largest() - 1), 1, 1e-9);
    EXPECT_NEAR(exact.at_most(exact.largest() / 2), 0.5, 0.01);
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
