// Series of turns in constant memory, and the estimates from them.
#include "caliper/turns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacho::caliper::TEST_FILE {
namespace {

void add(TurnSeries& series, std::uint32_t round, std::uint64_t covered, std::uint64_t counted) {
  while (!series.has_place(round)) series.fold();
  series.add(round, covered, counted);
}

std::vector<Period> periods_of(const TurnSeries& series) {
  std::vector<Period> periods;
  series.add_to(periods);
  return periods;
}

TEST(TurnSeries, LosesNothingHoweverManyRoundsThereAre) {
  TurnSeries series;
  std::uint64_t covered = 0;
  std::uint64_t counted = 0;
  for (std::uint32_t round = 0; round < 100'000; ++round) {
    add(series, round, round % 7 + 1, round % 5);
    covered += round % 7 + 1;
    counted += round % 5;
  }
  const std::vector<Period> periods = periods_of(series);
  EXPECT_LE(periods.size(), TurnSeries::kPlaces);
  EXPECT_GT(periods.size(), TurnSeries::kPlaces / 2 - 1);
  for (const Period& period : periods) {
    covered -= period.reference;
    counted -= period.counts[0];
  }
  EXPECT_EQ(covered, 0U);
  EXPECT_EQ(counted, 0U);
}

TEST(TurnSeries, AcceptsADistantRound) {
  TurnSeries series;
  add(series, 0xffff'ffff, 3, 4);
  ASSERT_EQ(periods_of(series).size(), 1U);
  EXPECT_EQ(periods_of(series)[0].counts[0], 4U);
}

// A region can execute first, or counters can be reset, after many rounds.
TEST(TurnSeries, KeepsRoundsApartHoweverLateItBegins) {
  TurnSeries series;
  for (std::uint32_t round = 100'000; round < 100'020; ++round) add(series, round, 1'000, 50);
  EXPECT_EQ(periods_of(series).size(), 20U);
  series.clear();
  for (std::uint32_t round = 0xffff'ffff - 20; round < 0xffff'ffff; ++round)
    add(series, round, 1'000, 50);
  EXPECT_EQ(periods_of(series).size(), 20U);
}

TEST(Estimate, AConstantRateIsScaledExactly) {
  TurnSeries series;
  for (std::uint32_t round = 0; round < 20; ++round) add(series, round, 1'000, 50);
  const Count count = estimate(periods_of(series), 80'000, 0);
  EXPECT_EQ(count.status, CountStatus::estimated);
  EXPECT_DOUBLE_EQ(count.value, 4'000);
  EXPECT_DOUBLE_EQ(count.share, 0.25);
  EXPECT_TRUE(count.has_interval);
  EXPECT_NEAR(count.half_width95, 0, 1e-6);
}

// Between two turns the reference goes on. The program goes on for an unknown part of that time.
TEST(Estimate, IsUncertainAboutTheTimeBetweenTurns) {
  TurnSeries series;
  for (std::uint32_t round = 0; round < 20; ++round) add(series, round, 1'000, 50);
  const Count count = estimate(periods_of(series), 40'400, 400);
  EXPECT_DOUBLE_EQ(count.value, 2'010);  // 2,000 if the program stood still, 2,020 if it went on
  EXPECT_NEAR(count.half_width95, 1.96 / std::sqrt(3.0) * 10, 0.01);
}

// With a known random rate, 95 of 100 intervals must hold the true value.
TEST(Estimate, ItsIntervalsHold) {
  std::mt19937_64 random(3);
  int held = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    TurnSeries series;
    double truth = 0;
    for (std::uint32_t round = 0; round < 40; ++round) {
      for (int set = 0; set < 2; ++set) {
        const std::uint64_t counted = std::poisson_distribution<std::uint64_t>(100)(random);
        truth += static_cast<double>(counted);
        if (set == 0) add(series, round, 1'000, counted);
      }
    }
    const Count count = estimate(periods_of(series), 80'000, 0);
    held += std::fabs(count.value - truth) <= count.half_width95;
  }
  EXPECT_GE(held, kRuns * 93 / 100);
}

TEST(Estimate, HasNoIntervalFromTooFewTurns) {
  TurnSeries series;
  for (std::uint32_t round = 0; round < 9; ++round) add(series, round, 1'000, 50);
  EXPECT_FALSE(estimate(periods_of(series), 18'000, 0).has_interval);
}

TEST(Estimate, IsUnavailableWithoutATurn) {
  EXPECT_EQ(estimate({}, 1'000, 0).status, CountStatus::unavailable);
}

TEST(Estimate, IsACountIfTheTurnsCoverTheWhole) {
  TurnSeries series;
  add(series, 0, 500, 9);
  const Count count = estimate(periods_of(series), 500, 0);
  EXPECT_EQ(count.status, CountStatus::counted);
  EXPECT_EQ(count.value, 9);
}

}  // namespace
}  // namespace tacho::caliper::TEST_FILE
