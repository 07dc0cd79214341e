// Histograms: counts, quantiles and the narrowest window, on inputs calculated by hand.
#include "stats/histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacho::TEST_FILE {
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

TEST(Location, IsNotChangedByOutliersEvenIfTheyAreTheMajority) {
  Histogram h = of({{99, 100}, {100, 250}, {101, 100}});
  EXPECT_EQ(location(h).value, 100);
  for (std::uint64_t i = 0; i < 500; ++i) h.add(150 + 7 * i);  // more than half, but spread out
  EXPECT_EQ(location(h, 0.4).value, 100);
  EXPECT_GT(h.quantile(0.5), 150U);  // the median does change
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

// Durations of `ticks` as a counter shows them that advances by `step`. They begin at random
// moments.
Histogram readings(double ticks, double noise, double step, std::mt19937_64& random) {
  constexpr int kCount = 1000;
  std::uniform_real_distribution<> moment(0, 1'000'000);
  std::normal_distribution<> spread(ticks, noise);
  const auto read = [step](double at) {  // a whole number, also if the step is not
    return static_cast<std::uint64_t>(std::floor(at) * step);
  };
  Histogram h;
  for (int i = 0; i < kCount; ++i) {
    const double begin = moment(random);
    h.add(read(begin + std::max(spread(random), 0.0) / step) - read(begin));
  }
  return h;
}

TEST(Location, BetweenTheStepsOfACounterIsTheMeanOfTheReadings) {
  std::mt19937_64 random(5);
  int held = 0;
  constexpr int kRuns = 200;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const double truth = 60 + 0.37 * static_cast<double>(run);
    const Location found = location_between_steps(readings(truth, 2, 26, random), 26);
    EXPECT_NEAR(found.value, truth, 2.6) << "a tenth of a step";
    held += found.low <= truth && truth <= found.high ? 1 : 0;
  }
  EXPECT_GE(held, kRuns * 93 / 100);
  // For small steps the result is that of location(), with an interval of at least half a step.
  const Histogram fine = readings(4000, 50, 26, random);
  EXPECT_EQ(location_between_steps(fine, 26).value, location(fine).value);
  EXPECT_GE(location_between_steps(fine, 26).high - location(fine).value, 13);
  // All may begin at the same moment of the counter: the interval is a whole step.
  const Location still = location_between_steps(of({{52, 1000}}), 26);
  EXPECT_EQ(still.value, 52);
  EXPECT_EQ(still.high - still.low, 26);
}

TEST(UsualStep, IsFoundAlsoWhenACounterStepsUnevenlyNowAndThen) {
  std::mt19937_64 random(6);
  EXPECT_EQ(usual_step(readings(60, 20, 26, random)), 26);
  EXPECT_EQ(usual_step(readings(60, 20, 2, random)), 2);
  EXPECT_EQ(usual_step(readings(60, 20, 1, random)), 1);
  Histogram uneven = readings(60, 20, 26, random);
  for (std::uint64_t i = 0; i < 80; ++i) uneven.add(51 + 25 * (i % 4));
  EXPECT_EQ(usual_step(uneven), 26);
  EXPECT_EQ(usual_step(of({{52, 4000}, {78, 20}})), 1) << "too few";
  EXPECT_EQ(usual_step({}), 1);
}

// The counter of an AMD EPYC: 2,445 MHz, advanced 10⁸ times a second. With a step of one tick, its
// first level would cost 4.0 or 4.4 cycles.
TEST(UsualStep, IsFoundAlsoWhenItIsNoWholeNumberOfTicks) {
  std::mt19937_64 random(7);
  for (const double step : {24.45, 20.5, 33.33, 37.9, 10.24})
    EXPECT_NEAR(usual_step(readings(60, 20, step, random)), step, 0.02 * step);
  EXPECT_NEAR(usual_step(of({{49, 2853}, {73, 614}, {74, 627}})), 24.45, 0.5);
  // Values that vary by a tick or two have no step.
  EXPECT_EQ(usual_step(of({{49, 100}, {50, 900}, {51, 2000}, {52, 900}, {53, 100}})), 1);
  EXPECT_EQ(usual_step(of({{50, 900}, {51, 2000}, {52, 900}})), 1);
  EXPECT_EQ(usual_step(readings(30, 3, 1, random)), 1);
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
}  // namespace tacho::TEST_FILE
