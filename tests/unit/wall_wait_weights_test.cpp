// How much sampled times off the CPU stand for, against made-up threads whose sums are known.
#include "wall/wait_weights.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tacho::TEST_FILE {
namespace {

constexpr double kBase = 50;  // each sampled one stands for so many of its window

TimeOff off(std::int32_t tid, std::uint64_t begin, std::uint64_t length, bool sampled,
            ThreadState state = ThreadState::waiting) {
  TimeOff off;
  off.pid = 1;
  off.tid = tid;
  off.begin_ns = begin;
  off.end_ns = begin + length;
  off.state = state;
  off.sampled = sampled;
  return off;
}

double in_windows(const TimeOff&) {
  return kBase;
}

// The sum that the sampled ones of a thread stand for.
double sum_of(const std::vector<TimeOff>& absences, const WaitWeights& weights, std::int32_t tid) {
  double sum = 0;
  for (const TimeOff& each : absences)
    if (each.tid == tid && each.sampled)
      sum += weights.of(each, PartOff::first, kBase) * static_cast<double>(each.length_ns());
  return sum;
}

TEST(WaitWeights, ALongWaitThatWasSampledStandsForItself) {
  const std::vector absences{off(1, 0, 1'000'000, true), off(2, 0, 100, true),
                             off(2, 200, 100, false), off(2, 400, 100, false)};
  const WaitWeights weights(absences, in_windows);
  EXPECT_EQ(weights.of(absences[0], PartOff::first, kBase), 1);
  EXPECT_DOUBLE_EQ(weights.of(absences[1], PartOff::first, kBase), 3);
  EXPECT_EQ(weights.of(absences[1], PartOff::first, 1), 1) << "each around it was sampled";
}

TEST(WaitWeights, ThreadsWithoutASampleAreLikeOthers) {
  std::vector<TimeOff> absences;
  for (std::int32_t tid = 0; tid < 100; ++tid) absences.push_back(off(tid, 0, 1000, tid < 4));
  const WaitWeights weights(absences, in_windows);
  EXPECT_DOUBLE_EQ(weights.of(absences[0], PartOff::first, kBase), 25);
  EXPECT_FALSE(weights.is_alone(absences[50], PartOff::first));
}

TEST(WaitWeights, ALengthThatNoSampledOneHasIsAlone) {
  const std::vector absences{off(1, 0, 100, true), off(1, 200, 1'000'000, false),
                             off(2, 0, 100, false, ThreadState::ready)};
  const WaitWeights weights(absences, in_windows);
  EXPECT_EQ(weights.of(absences[0], PartOff::first, kBase), 1);
  EXPECT_TRUE(weights.is_alone(absences[1], PartOff::first));
  EXPECT_TRUE(weights.is_alone(absences[2], PartOff::first)) << "ready, and not waiting";
}

TEST(WaitWeights, APartAfterTheWakeUpHasAWeightOfItsOwn) {
  std::vector absences{off(1, 0, 1000, true), off(1, 2000, 1000, false)};
  absences[0].woken_ns = 900;
  absences[1].woken_ns = 2000 + 900;
  const WaitWeights weights(absences, in_windows);
  EXPECT_DOUBLE_EQ(weights.of(absences[0], PartOff::first, kBase), 2);
  EXPECT_DOUBLE_EQ(weights.of(absences[0], PartOff::woken, kBase), 2);
  EXPECT_EQ(length_of(absences[0], PartOff::woken), 100U);
}

// Threads wait at two places, one of which has longer waits. The estimates of the place have no
// bias, and those of a thread are its known sum.
TEST(WaitWeights, SumsOfThreadsAreRightAndPlacesWithoutBias) {
  std::mt19937 random(1);
  double relative = 0;
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<TimeOff> absences;
    std::vector<bool> at_first_place;
    double first_place = 0;
    for (std::int32_t tid = 1; tid <= 3; ++tid)
      for (int i = 0; i < 2000; ++i) {
        const bool first = std::uniform_int_distribution<>(0, 2)(random) == 0;
        const auto length = static_cast<std::uint64_t>(std::exponential_distribution<>(1)(random) *
                                                       (first ? 4000 : 1000) * tid) +
                            1;
        const bool sampled = std::uniform_int_distribution<>(0, 49)(random) == 0;
        absences.push_back(off(tid, 0, length, sampled));
        at_first_place.push_back(first);
        if (first) first_place += static_cast<double>(length);
      }
    const WaitWeights weights(absences, in_windows);
    double all = 0, sampled = 0, estimate = 0;
    for (std::size_t i = 0; i < absences.size(); ++i) {
      all += static_cast<double>(absences[i].length_ns());
      if (!absences[i].sampled) {
        if (!weights.is_alone(absences[i], PartOff::first)) continue;
        all -= static_cast<double>(absences[i].length_ns());  // the report says that it is unknown
        if (at_first_place[i]) first_place -= static_cast<double>(absences[i].length_ns());
        continue;
      }
      const double stands_for = weights.of(absences[i], PartOff::first, kBase) *
                                static_cast<double>(absences[i].length_ns());
      sampled += stands_for;
      if (at_first_place[i]) estimate += stands_for;
    }
    EXPECT_NEAR(sampled / all, 1, 1e-9);
    relative += estimate / first_place - 1;
  }
  EXPECT_NEAR(relative / kRounds, 0, 0.02);
  const std::vector absences{off(1, 0, 100, true), off(1, 200, 110, false), off(2, 0, 100, true)};
  const WaitWeights weights(absences, in_windows);
  EXPECT_DOUBLE_EQ(sum_of(absences, weights, 1), 210);
  EXPECT_DOUBLE_EQ(sum_of(absences, weights, 2), 100);
}

}  // namespace
}  // namespace tacho::TEST_FILE
