// Sums of times of which only some were sampled, against made-up programs whose sums are known.
#include "wall/report/sampled_lengths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tacho::TEST_FILE {
namespace {

TEST(SampledLengths, OfWhichEachWasSampledAreTheSum) {
  AbsenceSum sum;
  sum.add(30, 1, 0);
  sum.add(12, 1, 5);
  const WaitSum whole = sum.sum();
  EXPECT_EQ(whole.total_ns, 42);
  EXPECT_FALSE(whole.is_estimate());
  EXPECT_EQ(whole.longest_ns, 30U);
  EXPECT_EQ(whole.times, 2);
}

TEST(SampledLengths, AreSharesOfTheKnownSum) {
  AbsenceSum own, all;
  for (std::uint64_t window = 0; window < 100; ++window) {
    own.add(10, 50, window);
    all.add(10, 50, window);
    all.add(30, 50, window);
  }
  own.add(7, 1, 0);
  const WaitSum sum = own.sum({.ns = 1000}, all);
  EXPECT_DOUBLE_EQ(sum.total_ns, 7 + 250);
  EXPECT_TRUE(sum.is_estimate());
  EXPECT_GE(sum.low_ns, 7);
  EXPECT_LE(sum.high_ns, 7 + 1000);
  EXPECT_DOUBLE_EQ(own.sum({.ns = 1000, .times = 400}, all).times, 1 + 200)
      << "as many as there were";
}

TEST(SampledLengths, OfOneWindowSayHardlyAnything) {
  AbsenceSum own, all;
  for (int i = 0; i < 200; ++i) {
    own.add(10, 50, 3);
    all.add(10, 50, 3);
    all.add(10, 50, 3);
  }
  const WaitSum sum = own.sum({.ns = 1000}, all);
  EXPECT_LT(sum.low_ns, 100);
  EXPECT_GT(sum.high_ns, 900);
}

// A program has phases, and threads wait at one place or at another. A phase is longer than a
// window, so the samples of a window are alike. The recorder samples a twentieth of each part of
// the time.
class Coverage : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(PhasesInWindows, Coverage, testing::Values(0.01, 0.1, 1.0, 7.0));

TEST_P(Coverage, OfIntervalsIsNearlyThatOfTheirName) {
  std::mt19937 random(11);
  const auto draw = [&] { return std::uniform_real_distribution<>()(random); };
  constexpr int kRuns = 300, kWindows = 80, kInWindow = 400, kSampled = 20;
  int held = 0;
  double width = 0;
  for (int run = 0; run < kRuns; ++run) {
    AbsenceSum own, all;
    double truth = 0, whole = 0;
    bool is_own = true;
    double phase_ends = 0;
    for (int window = 0; window < kWindows; ++window) {
      const int from = static_cast<int>(draw() * (kInWindow - kSampled));
      for (int i = 0; i < kInWindow; ++i) {
        if (const double now = window + static_cast<double>(i) / kInWindow; now >= phase_ends) {
          is_own = draw() < 0.3;
          phase_ends = now + GetParam() * -std::log(1 - draw());
        }
        const auto length = static_cast<std::uint64_t>(-1000 * std::log(1 - draw()));
        whole += static_cast<double>(length);
        if (is_own) truth += static_cast<double>(length);
        if (i < from || i >= from + kSampled) continue;
        constexpr double kWeight = static_cast<double>(kInWindow) / kSampled;
        all.add(length, kWeight, static_cast<std::uint64_t>(window));
        if (is_own) own.add(length, kWeight, static_cast<std::uint64_t>(window));
      }
    }
    const WaitSum sum = own.sum({.ns = whole}, all);
    if (sum.low_ns <= truth && truth <= sum.high_ns) ++held;
    width += (sum.high_ns - sum.low_ns) / whole / kRuns;
  }
  EXPECT_GE(held, 0.92 * kRuns);
  EXPECT_LT(width, 0.5);
}

}  // namespace
}  // namespace tacho::TEST_FILE
