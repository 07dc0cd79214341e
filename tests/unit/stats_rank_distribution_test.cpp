// The distributions of rank statistics, compared with tables and with counting.
#include "stats/rank_distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacho {
namespace {

TEST(SignedRanks, AreDistributedAsAllSignPatternsAre) {
  for (std::size_t n = 1; n <= 12; ++n) {
    const auto w = RankDistribution::signed_ranks(n);
    ASSERT_EQ(w.largest(), n * (n + 1) / 2);
    std::vector<double> patterns(w.largest() + 1);
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

}  // namespace
}  // namespace tacho
