// Intervals of shares: compared with published ones, and over many samples with a known truth.
#include "stats/share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

namespace tacho::TEST_FILE {
namespace {

struct Published {
  double successes, samples, low, high;
};

// R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine
// 17 (1998), table I: the score method without continuity correction.
TEST(Share, WilsonIntervalsAreThosePublished) {
  for (const auto& [successes, samples, low, high] :
       {Published{81, 263, 0.2553, 0.3662}, Published{15, 148, 0.0624, 0.1605},
        Published{0, 20, 0.0000, 0.1611}, Published{1, 29, 0.0061, 0.1718}}) {
    const ShareInterval interval = wilson95(successes / samples, samples);
    EXPECT_NEAR(interval.low, low, 0.00006) << successes << " of " << samples;
    EXPECT_NEAR(interval.high, high, 0.00006) << successes << " of " << samples;
  }
}

TEST(Share, WithoutSamplesTheIntervalIsZeroToOne) {
  EXPECT_EQ(wilson95(0, 0).low, 0);
  EXPECT_EQ(wilson95(0, 0).high, 1);
}

TEST(Share, AllOfTheSamplesReachOne) {
  EXPECT_EQ(wilson95(1, 50).high, 1);
  EXPECT_NEAR(wilson95(1, 50).low, 0.9286, 0.0001);  // the mirror of none of 50
  EXPECT_NEAR(wilson95(0, 50).high, 1 - wilson95(1, 50).low, 1e-12);
}

// All ways in which the unseen part can be divided.
TEST(Share, WithAnUnseenPartTheIntervalHasAllThatItMayBe) {
  const ShareInterval seen{0.2, 0.6};
  constexpr double kUnseen = 0.3;
  ShareInterval found{1, 0};
  for (int i = 0; i <= 100; ++i)
    for (int j = 0; j <= 100; ++j) {
      const double share =
          (1 - kUnseen) * (seen.low + (seen.high - seen.low) * i / 100) + kUnseen * j / 100;
      found = {std::min(found.low, share), std::max(found.high, share)};
    }
  EXPECT_NEAR(with_unseen(seen, kUnseen).low, found.low, 1e-12);
  EXPECT_NEAR(with_unseen(seen, kUnseen).high, found.high, 1e-12);
  EXPECT_EQ(with_unseen(seen, 0).low, seen.low);
  EXPECT_EQ(with_unseen(seen, 0).high, seen.high);
  EXPECT_EQ(with_unseen(seen, 1).low, 0);
  EXPECT_EQ(with_unseen(seen, 1).high, 1);
}

// Two phases of a run, sampled at equal distances from a random start. The variance of the share is
// known by enumeration of all starts.
TEST(Share, SystematicSamplesOfPhasesAreWorthMoreThanIndependentOnesAndNotTooMuch) {
  constexpr int kSamples = 100, kStarts = 1000;
  constexpr double kTruth = 0.3037;
  double variance = 0;
  for (int start = 0; start < kStarts; ++start) {
    int first = 0;
    for (int i = 0; i < kSamples; ++i)
      first += (i + (start + 0.5) / kStarts) / kSamples < kTruth ? 1 : 0;
    variance += std::pow(1.0 * first / kSamples - kTruth, 2) / kStarts;
  }
  const double worth = systematic_samples(0.3, kSamples, 1, 1);
  EXPECT_GT(worth, 10 * kSamples);
  EXPECT_LT(worth, kTruth * (1 - kTruth) / variance);
}

TEST(Share, SystematicSamplesThatAreIndependentAreWorthAQuarterOfTheirNumber) {
  std::mt19937_64 random(3);
  std::bernoulli_distribution in_part(0.3);
  constexpr int kSamples = 100'000;
  int part = 0, changes = 0;
  bool before = false;
  for (int i = 0; i < kSamples; ++i) {
    const bool now = in_part(random);
    part += now ? 1 : 0;
    changes += now != before ? 1 : 0;
    before = now;
  }
  const double each = 7;  // the weight of a sample
  EXPECT_NEAR(systematic_samples(1.0 * part / kSamples, each * kSamples, changes, each * each),
              kSamples / 4.0, 0.02 * kSamples / 4);
  EXPECT_EQ(systematic_samples(0, 100, 0, 1), 0);
  EXPECT_EQ(systematic_samples(1, 100, 1, 1), 0);
}

Weights weights(double samples, double each) {
  return {samples * each, samples * each * each};
}

Weights together(Weights a, Weights b) {
  return {a.sum + b.sum, a.squares + b.squares};
}

TEST(Share, EqualWeightsGiveTheNumberOfSamples) {
  for (const double part : {0.0, 1.0, 12.0, 30.0})
    EXPECT_NEAR(effective_samples(weights(part, 7), weights(30, 7)), 30, 1e-9) << part;
  EXPECT_DOUBLE_EQ(effective_samples_of_difference(weights(12, 7), weights(30, 7)), 30);
  // One sample with the weight of all others together leaves the information of fewer than four.
  EXPECT_LT(effective_samples(weights(1, 100), together(weights(1, 100), weights(100, 1))), 4);
  EXPECT_EQ(effective_samples({}, {}), 0);
}

// Returns how often the interval of a row's share contains the truth. The row's samples have one
// weight, the rest of the samples another.
double covered(double part, double part_weight, double rest, double rest_weight) {
  std::mt19937_64 random(1);
  std::poisson_distribution<int> parts(part), rests(rest);
  const double truth = part * part_weight / (part * part_weight + rest * rest_weight);
  int held = 0;
  constexpr int kTimes = 4000;
  for (int i = 0; i < kTimes; ++i) {
    const Weights row = weights(parts(random), part_weight);
    const Weights whole = together(row, weights(rests(random), rest_weight));
    const ShareInterval interval = wilson95(row.sum / whole.sum, effective_samples(row, whole));
    held += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  return 1.0 * held / kTimes;
}

// If samples are taken at a frequency, a sample represents more events while events are frequent.
// So the weight may be that of a row, not that of the whole recording.
TEST(Share, IntervalsContainTheTruthIfTheRowsSamplesHaveAnotherWeight) {
  for (const auto& [part, part_weight, rest, rest_weight] :
       {std::tuple{100.0, 100.0, 9900.0, 1.0}, std::tuple{10.0, 100.0, 9900.0, 1.0},
        std::tuple{100.0, 1.0, 100.0, 100.0}, std::tuple{100.0, 3.0, 9900.0, 1.0}}) {
    const double held = covered(part, part_weight, rest, rest_weight);
    EXPECT_GT(held, 0.93) << part << " of " << part_weight;
    EXPECT_LT(held, 0.985) << part << " of " << part_weight;
  }
}

TEST(Share, EqualSharesOfUnequalWeightsRarelyDiffer) {
  std::mt19937_64 random(2);
  std::poisson_distribution<int> few(20), many(2000), rest(20000);
  int apart = 0;
  constexpr int kTimes = 4000;
  for (int i = 0; i < kTimes; ++i) {
    const Weights a = weights(few(random), 100);
    const Weights b = weights(many(random), 1);
    const Weights both = together(a, b);
    const Weights whole = together(both, weights(rest(random), 1));
    apart += shares_differ(a.sum / whole.sum, b.sum / whole.sum,
                           effective_samples_of_difference(both, whole))
                 ? 1
                 : 0;
  }
  EXPECT_LT(1.0 * apart / kTimes, 0.075);
}

// Returns how often shares_differ() is true for rows of these true shares and so many samples.
double differing(double a, double b, int samples, int times) {
  std::mt19937_64 random(1);
  int apart = 0;
  for (int i = 0; i < times; ++i) {
    const int first = std::binomial_distribution<int>(samples, a)(random);
    const int second = std::binomial_distribution<int>(samples - first, b / (1 - a))(random);
    apart += shares_differ(1.0 * first / samples, 1.0 * second / samples, samples) ? 1 : 0;
  }
  return 1.0 * apart / times;
}

TEST(Share, EqualSharesRarelyDiffer) {
  EXPECT_LT(differing(0.3, 0.3, 1000, 4000), 0.06);
  EXPECT_LT(differing(0.05, 0.05, 1000, 4000), 0.06);
  EXPECT_LT(differing(0.013, 0.013, 1000, 4000), 0.06);
}

TEST(Share, AFewSamplesThatAreAllOfOneRowAreNotEnough) {
  EXPECT_FALSE(shares_differ(1, 0, 5)) << "2 of 32 sequences of 5 samples are all of one row";
  EXPECT_TRUE(shares_differ(1, 0, 6)) << "2 of 64";
}

// Number of sequences of `samples` samples of two rows in which one of them has `more` or more.
double sequences(int more, int samples) {
  double sum = 0, choices = 1;  // `samples` choose k
  for (int k = 0; k <= samples; ++k) {
    if (std::max(k, samples - k) >= more) sum += choices;
    choices = choices * (samples - k) / (k + 1);
  }
  return sum;
}

TEST(Share, TheTestIsExactForEveryNumberOfSamples) {
  for (int both = 1; both <= 60; ++both)
    for (int first = 0; first <= both; ++first) {
      const int second = both - first;
      const bool rare = sequences(std::max(first, second), both) <= 0.05 * std::exp2(both);
      // Beside the rest of the recording, that has nothing to do with it.
      for (const int rest : {0, 13, 1000}) {
        const double samples = both + rest;
        EXPECT_EQ(shares_differ(first / samples, second / samples, samples),
                  rare && first != second)
            << first << ' ' << second << ' ' << rest;
      }
    }
}

TEST(Share, ExactSharesDifferIfTheyAreNotEqual) {
  constexpr double kExact = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(shares_differ(0.25, 0.250001, kExact));
  EXPECT_FALSE(shares_differ(0.25, 0.25, kExact));
}

TEST(Share, WithTheMissingSamplesTheSharesDifferFourTimesInFive) {
  const auto missing = samples_still_needed(0.22, 0.20, 500);
  ASSERT_TRUE(missing);
  EXPECT_NEAR(differing(0.22, 0.20, 500 + static_cast<int>(*missing), 4000), 0.80, 0.03);
}

TEST(Share, NoNumberOfSamplesIsEnoughForEqualShares) {
  EXPECT_FALSE(samples_still_needed(0.25, 0.25, 1e6));
  EXPECT_EQ(samples_still_needed(0.5, 0.1, 1000), 0U) << "they differ already";
}

}  // namespace
}  // namespace tacho::TEST_FILE
