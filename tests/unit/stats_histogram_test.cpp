// Histograms: counts, quantiles and the narrowest window, on inputs worked out by hand.
#include "stats/histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacho {
namespace {

using ::testing::ElementsAre;
using Bin = Histogram::Bin;

Histogram of(std::initializer_list<Bin> bins) {
  Histogram h;
  for (const Bin& bin : bins) h.add(bin.value, bin.count);
  return h;
}

TEST(Histogram, CountsInAnyOrder) {
  Histogram h;
  EXPECT_TRUE(h.empty());
  h.add(7);
  h.add(3, 2);
  h.add(7);
  h.add(5, 0);
  EXPECT_EQ(h.total(), 4U);
  EXPECT_THAT(h.bins(), ElementsAre(Bin{3, 2}, Bin{7, 2}));
}

TEST(Histogram, QuantilesAreValuesThatWereCounted) {
  const Histogram h = of({{10, 1}, {20, 2}, {40, 1}});
  EXPECT_EQ(h.quantile(0), 10U);
  EXPECT_EQ(h.quantile(0.25), 10U);
  EXPECT_EQ(h.quantile(0.5), 20U);
  EXPECT_EQ(h.quantile(0.75), 20U);
  EXPECT_EQ(h.quantile(0.76), 40U);
  EXPECT_EQ(h.quantile(1), 40U);
}

TEST(Location, DoesNotSeeOutliersEvenWhenTheyAreTheMajority) {
  Histogram h = of({{99, 100}, {100, 250}, {101, 100}});
  EXPECT_EQ(location(h).value, 100);
  for (std::uint64_t i = 0; i < 500; ++i) h.add(150 + 7 * i);  // more than half, but spread out
  EXPECT_EQ(location(h, 0.4).value, 100);
  EXPECT_GT(h.quantile(0.5), 150U);  // which the median does see
}

TEST(Location, OfOneValueIsKnownToHalfAStepOfTheCounter) {
  const Location found = location(of({{9, 1000}}));
  EXPECT_EQ(found.value, 9);
  EXPECT_EQ(found.low, 8.5);
  EXPECT_EQ(found.high, 9.5);
  const Location even = location(of({{40, 1}, {42, 3}, {44, 900}, {46, 2}, {52, 1}}));
  EXPECT_EQ(even.value, 44);
  EXPECT_EQ(even.low, 43);
  EXPECT_EQ(even.high, 45);
}

TEST(Location, IntervalsHoldTheTruthOfSymmetricNoise) {
  std::mt19937_64 random(1);
  std::normal_distribution<> noise(500, 20);
  std::uniform_real_distribution<> outlier(500, 5000);
  int held = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    Histogram h;
    for (int i = 0; i < 500; ++i)
      h.add(static_cast<std::uint64_t>(std::lround(i % 10 == 0 ? outlier(random) : noise(random))));
    const Location found = location(h);
    held += found.low <= 500 && 500 <= found.high ? 1 : 0;
  }
  EXPECT_GE(held, kRuns * 93 / 100);
}

}  // namespace
}  // namespace tacho
