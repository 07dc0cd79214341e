// Whether runs depend on their order: found where it is there, and not where it is not.
#include "stats/run_order.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

using Series = std::vector<std::vector<double>>;
using Indices = std::vector<std::size_t>;

constexpr double kRisk = 0.01;

TEST(RunOrder, ADriftIsFoundInTheFigureThatDrifts) {
  const Series series{{5, 1, 4, 2, 3, 5, 2, 4, 1, 3}, {10, 11, 12, 13, 15, 14, 16, 17, 18, 19}};
  EXPECT_EQ(depend_on_order(series, kRisk), Indices{1});
}

TEST(RunOrder, TwoStretchesAreFoundWhateverTheUnit) {
  const std::vector<double> values{2,   1,   3,   1,     2,     1,   2,   3,     1,   2,
                                   9e9, 8e9, 9e9, 8.5e9, 9.5e9, 9e9, 8e9, 9.2e9, 8e9, 9e9};
  EXPECT_EQ(depend_on_order(Series{values}, kRisk), Indices{0});
}

// Of six runs in a random order, 2 in 720 go up or down all the way: 0.3 %. Of five it is 1.7 %.
TEST(RunOrder, FiveRunsAreTooFew) {
  EXPECT_EQ(depend_on_order(Series{{1, 2, 3, 4, 5, 6}}, kRisk), Indices{0});
  EXPECT_EQ(depend_on_order(Series{{1, 2, 3, 4, 5}}, kRisk), Indices{});
}

TEST(RunOrder, EqualFiguresAndNoFiguresSayNothing) {
  EXPECT_EQ(depend_on_order(Series{std::vector<double>(30, 7.0)}, kRisk), Indices{});
  EXPECT_EQ(depend_on_order(Series{}, kRisk), Indices{});
}

// The figures of a run depend on each other, as counts and times do; the runs are independent.
TEST(RunOrder, IndependentRunsAreRarelySuspectedHoweverManyFiguresThereAre) {
  constexpr int kTimes = 2000;
  std::mt19937 random(1);
  std::lognormal_distribution<double> skewed(0, 1);
  std::poisson_distribution<int> rare(0.3);
  for (const std::size_t runs : {6U, 10U, 30U}) {
    int suspected = 0;
    for (int i = 0; i < kTimes; ++i) {
      Series series(4);
      for (std::size_t k = 0; k < runs; ++k) {
        const double time = skewed(random);
        series[0].push_back(time);
        series[1].push_back(2 * time + skewed(random));
        series[2].push_back(rare(random));
        series[3].push_back(1 / time);
      }
      suspected += depend_on_order(series, kRisk).empty() ? 0 : 1;
    }
    EXPECT_LE(suspected, 30) << runs;  // expected 20 or fewer; more than 34 in 1 of 1,000 seeds
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
