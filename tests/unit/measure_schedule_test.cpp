// The schedule of turns: every set in each round, in random order, with periods that grow but stay
// long compared with the cost of a turn.
#include "measure/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tacho::TEST_FILE {
namespace {

using namespace std::chrono_literals;

TEST(MeasureSchedule, GivesEverySetOnePeriodInEachRound) {
  Schedule schedule({0, 1, 2, 3}, {.longest = 10ms}, 1);
  for (std::uint32_t round = 0; round < 50; ++round) {
    std::set<std::size_t> seen;
    for (int i = 0; i < 4; ++i) {
      const Schedule::Turn turn = schedule.next();
      EXPECT_EQ(turn.round, round);
      seen.insert(turn.set);
    }
    EXPECT_EQ(seen.size(), 4U);
  }
}

TEST(MeasureSchedule, DrawsANewOrderForEachRoundSoEverySetIsEverywhere) {
  Schedule schedule({0, 1, 2, 3}, {.longest = 10ms}, 7);
  std::map<std::pair<int, std::size_t>, int> times;
  constexpr int kRounds = 4'000;
  for (int round = 0; round < kRounds; ++round)
    for (int place = 0; place < 4; ++place) ++times[{place, schedule.next().set}];
  // A quarter each. The limit is five standard deviations of 27.
  for (int place = 0; place < 4; ++place)
    for (std::size_t set = 0; set < 4; ++set)
      EXPECT_NEAR(times[std::pair(place, set)], kRounds / 4, 137) << place << " " << set;
}

TEST(MeasureSchedule, StartsShortAndGrowsToTheLongest) {
  Schedule schedule({0, 1}, {.longest = 10ms}, 1);
  std::vector<Schedule::Duration> lengths;
  for (int i = 0; i < 200; ++i) lengths.push_back(schedule.next().length);
  EXPECT_EQ(lengths.front(), 100us);
  EXPECT_EQ(lengths[2 * 49], 10ms) << "after 1.1 s of two sets";
  EXPECT_LT(lengths[2 * 24], 1ms) << "many short rounds, so that a short run has an interval";
  for (std::size_t i = 1; i < lengths.size(); ++i) EXPECT_GE(lengths[i], lengths[i - 1]);
  for (std::size_t i = 0; i < lengths.size(); i += 2)
    EXPECT_EQ(lengths[i], lengths[i + 1]) << "periods of a round are equally long";
}

TEST(MeasureSchedule, KeepsALongestPeriodThatIsBelowTheFirstLength) {
  Schedule schedule({0, 1}, {.longest = 50us}, 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(schedule.next().length, 50us);
}

TEST(MeasureSchedule, ShrinksTowardsAKnownEndAsItGrewFromTheStart) {
  Schedule schedule({0, 1}, {.first = 5us, .longest = 1ms}, 1);
  auto left = Schedule::Duration(200ms);
  std::vector<Schedule::Duration> lengths;
  while (left > 0ns) {
    lengths.push_back(schedule.next(left).length);
    left -= lengths.back();
  }
  EXPECT_EQ(std::ranges::max(lengths), 1ms);
  EXPECT_EQ(lengths.front(), 5us);
  EXPECT_EQ(lengths.back(), 5us);
  const auto shrinking = std::ranges::count_if(
      lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2), lengths.end(),
      [](auto length) { return length > 5us && length < 1ms; });
  EXPECT_NEAR(static_cast<double>(shrinking), 2 * std::log(200) / std::log(1.1), 8);
}

TEST(MeasureSchedule, PeriodsFollowTheCostOfTurns) {
  Schedule schedule({0, 1}, {.longest = 10ms}, 1);
  schedule.turn_took(1ms);
  EXPECT_EQ(schedule.next().length, 10ms) << "ten times the cost at first";
  for (int i = 0; i < 100; ++i) {
    schedule.next();
    schedule.turn_took(1ms);
  }
  EXPECT_GE(schedule.next().length, 99ms)
      << "a hundred times the cost, beyond the longest asked for";
}

}  // namespace
}  // namespace tacho::TEST_FILE
