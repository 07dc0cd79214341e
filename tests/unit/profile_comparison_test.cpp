// Comparisons of made-up recordings, whose truth is known: which rows are the same, when a change
// is significant, and how often that is wrong.
#include "profile/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using Recordings = std::vector<ProfileSummary>;

constexpr std::uint64_t kPeriod = 1000;

ProfileRow row_named(const std::string& module, const std::string& function,
                     std::uint64_t samples) {
  ProfileRow row;
  row.module = module;
  row.function = row.signature = function;
  row.counts.resize(1);
  for (std::uint64_t i = 0; i < samples; ++i) row.counts[0].add(kPeriod);
  return row;
}

ProfileSummary profile_of(std::vector<ProfileRow> rows) {
  ProfileSummary summary;
  summary.rows = std::move(rows);
  SampledEvent event;
  event.name = "cycles";
  event.period = kPeriod;
  for (const ProfileRow& row : summary.rows) event.count += row.counts[0];
  const auto all = static_cast<double>(event.count.samples);
  for (ProfileRow& row : summary.rows) {
    row.share = static_cast<double>(row.counts[0].samples) / all;
    row.ci95 = wilson95(row.share, all);
  }
  summary.absent95 = wilson95(0, all);
  summary.events = {event};
  summary.exact = true;  // so recordings may be equal
  return summary;
}

// One recording of a program whose functions f0, f1 … have these numbers of samples.
ProfileSummary program(const std::vector<std::uint64_t>& samples) {
  std::vector<ProfileRow> rows;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i] > 0) rows.push_back(row_named("a", "f" + std::to_string(i), samples[i]));
  return profile_of(std::move(rows));
}

std::vector<std::string> names(const ProfileComparison& comparison) {
  std::vector<std::string> named;
  for (const RowChange& each : comparison.rows)
    named.push_back((each.row_before != nullptr ? each.row_before->module : "") + ">" +
                    (each.row_after != nullptr ? each.row_after->module : "") + ":" +
                    each.row().function);
  return named;
}

const RowChange& row_of(const ProfileComparison& comparison, const std::string& function) {
  const auto found = std::ranges::find_if(
      comparison.rows, [&](const RowChange& each) { return each.row().function == function; });
  EXPECT_NE(found, comparison.rows.end()) << function;
  return *found;
}

bool has_interval(const Change& change) {
  return std::isfinite(change.gained.low) && std::isfinite(change.gained.high);
}

TEST(ProfileComparison, PairsRowsByNameAndRowsOfARenamedProgramIfThePairIsUnique) {
  const Recordings before{profile_of({row_named("old", "work", 500), row_named("libc", "copy", 40),
                                      row_named("old", "gone", 30), row_named("one", "twice", 20),
                                      row_named("two", "twice", 10)})};
  const Recordings after{profile_of({row_named("new", "work", 200), row_named("libc", "copy", 45),
                                     row_named("new", "twice", 4), row_named("new", "come", 2)})};
  EXPECT_THAT(names(compare_profiles(before, after)),
              ElementsAre("old>new:work", "old>:gone", "one>:twice", "two>:twice", "libc>libc:copy",
                          ">new:twice", ">new:come"));
}

TEST(ProfileComparison, AddsUpRowsOfOneName) {
  const Recordings before{profile_of({row_named("a", "init", 30), row_named("a", "init", 5)})};
  const Recordings after{profile_of({row_named("a", "init", 20), row_named("a", "init", 6)})};
  const ProfileComparison comparison = compare_profiles(before, after);
  ASSERT_EQ(comparison.rows.size(), 1U);
  EXPECT_EQ(comparison.rows[0].before.samples, 35U);
  EXPECT_EQ(comparison.rows[0].count.gained.value, -9.0 * kPeriod);
}

TEST(ProfileComparison, AMissingRowIsZeroWithTheIntervalOfNoSample) {
  const Recordings before{program({90, 10})};
  const Recordings after{program({100})};
  const ProfileComparison comparison = compare_profiles(before, after);
  const RowChange& gone = row_of(comparison, "f1");
  EXPECT_EQ(gone.row_after, nullptr);
  EXPECT_EQ(gone.after.samples, 0U);
  EXPECT_EQ(gone.after.count.value, 0);
  // Wilson's interval of none of 100: z² / (n + z²).
  const double high = 1.959964 * 1.959964 / (100 + 1.959964 * 1.959964);
  EXPECT_NEAR(gone.after.share.high, high, 1e-6);
  EXPECT_NEAR(gone.after.count.high, high * 100 * kPeriod, 0.1);
  EXPECT_EQ(gone.count.gained.value, -10.0 * kPeriod);
}

TEST(ProfileComparison, ARowThatIsMissingInSomeRecordingsIsZeroThere) {
  const Recordings before{program({90, 12}), program({90}), program({90, 6})};
  const Recordings after{program({90, 7}), program({90, 8}), program({90, 9})};
  const ProfileComparison comparison = compare_profiles(before, after);
  const RowChange& row = row_of(comparison, "f1");
  EXPECT_THAT(row.before.counts, ElementsAre(12 * kPeriod, 0, 6 * kPeriod));
  EXPECT_DOUBLE_EQ(row.before.count.value, 6.0 * kPeriod);
  EXPECT_EQ(row.before.samples, 18U);
  EXPECT_DOUBLE_EQ(row.count.gained.value, 2.0 * kPeriod);
}

TEST(ProfileComparison, FewerThanSixRecordingsOfASideClaimNothing) {
  for (const auto& [olds, news] : {std::pair(1, 1), std::pair(5, 5), std::pair(1, 9)}) {
    const Recordings before(static_cast<std::size_t>(olds), program({1000, 20}));
    const Recordings after(static_cast<std::size_t>(news), program({10, 2000}));
    const ProfileComparison comparison = compare_profiles(before, after);
    EXPECT_EQ(comparison.evidence, Evidence::too_few);
    EXPECT_EQ(comparison.tests, 0U);
    EXPECT_FALSE(comparison.count.test);
    EXPECT_FALSE(has_interval(comparison.count));
    for (const RowChange& row : comparison.rows) {
      EXPECT_FALSE(row.count.is_significant());
      EXPECT_FALSE(has_interval(row.count));
    }
    EXPECT_DOUBLE_EQ(row_of(comparison, "f0").count.gained.value, -990.0 * kPeriod);
  }
}

TEST(ProfileComparison, APairsSpreadDecides) {
  // The machine becomes slower from pair to pair. Within a pair, f0 takes about 100 samples more.
  Recordings before, after;
  const std::vector<std::uint64_t> more{101, 99, 102, 97, 103, 98, 104};
  for (std::size_t i = 0; i < more.size(); ++i) {
    before.push_back(program({1000 + 400 * i, i % 2 == 0 ? 500U : 495U}));
    after.push_back(program({1000 + 400 * i + more[i], i % 2 == 0 ? 490U : 510U}));
  }
  const ProfileComparison comparison = compare_profiles(before, after);
  EXPECT_EQ(comparison.evidence, Evidence::pairs);
  EXPECT_EQ(comparison.tests, 3U) << "everything and two rows";
  const Change& first = row_of(comparison, "f0").count;
  EXPECT_TRUE(first.is_significant());
  EXPECT_FALSE(row_of(comparison, "f1").count.is_significant());
  // The median of all averages of two differences, and the least and largest average: 7 pairs have
  // W = 0 in 2 of 128 cases, which is the level of Holm's first step, 0.025, or less.
  EXPECT_NEAR(first.gained.value, 100.5 * kPeriod, 0.5 * kPeriod);
  EXPECT_EQ(first.gained.low, 97.0 * kPeriod);
  EXPECT_EQ(first.gained.high, 104.0 * kPeriod);
  for (const RowChange& row : comparison.rows)
    EXPECT_EQ(row.count.is_significant(), row.count.gained.low > 0 || row.count.gained.high < 0);
}

TEST(ProfileComparison, ARecordingWithoutAPartnerIsNotTested) {
  Recordings before, after;
  for (std::uint64_t i = 0; i < 6; ++i) {
    before.push_back(program({1000 + i}));
    after.push_back(program({1300 + 2 * i}));
  }
  const Change paired = compare_profiles(before, after).count;
  after.push_back(program({9000}));
  const ProfileComparison comparison = compare_profiles(before, after);
  EXPECT_EQ(comparison.evidence, Evidence::pairs);
  EXPECT_TRUE(comparison.count.is_significant());
  EXPECT_EQ(comparison.count.gained.low, paired.gained.low);
  EXPECT_EQ(comparison.count.gained.high, paired.gained.high);
}

TEST(ProfileComparison, ARowThatTooFewPairsCanDecideHasNoInterval) {
  // 6 pairs have p-values of 0.031 or more, and each of two rows would need 0.025.
  const Recordings before(6, program({1000, 500})), after(6, program({1100, 600}));
  const ProfileComparison comparison = compare_profiles(before, after);
  EXPECT_TRUE(comparison.count.is_significant()) << "everything is tested by itself";
  for (const RowChange& row : comparison.rows) {
    EXPECT_TRUE(row.count.too_few_pairs);
    EXPECT_FALSE(row.count.test);
    EXPECT_FALSE(has_interval(row.count));
  }
}

TEST(ProfileComparison, RecordingsOfOneSideBeforeTheOtherClaimNothing) {
  Recordings before(6, program({1000})), after(6, program({2000}));
  const auto recorded_at = [](Recordings& side, const std::vector<std::uint64_t>& times) {
    for (std::size_t i = 0; i < side.size(); ++i) {
      side[i].host = "here";
      side[i].kernel = "6.18";
      side[i].first_ns = times[i];
      side[i].last_ns = times[i] + 4;
    }
  };
  recorded_at(before, {10, 15, 20, 25, 30, 35});
  recorded_at(after, {40, 50, 60, 70, 80, 90});
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::blocks);
  EXPECT_EQ(compare_profiles(after, before).evidence, Evidence::blocks);
  EXPECT_FALSE(has_interval(compare_profiles(before, after).rows[0].count));
  recorded_at(after, {12, 17, 22, 27, 32, 37});
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::pairs);
  // Each simulation has a clock that starts at 0.
  recorded_at(before, {0, 1, 2, 3, 4, 5});
  recorded_at(after, {2, 3, 4, 5, 6, 7});
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::pairs);
  // Clocks of two machines, or of two kernels, have nothing to do with each other.
  recorded_at(after, {40, 50, 60, 70, 80, 90});
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::blocks);
  for (ProfileSummary& each : after) each.kernel = "6.19";
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::pairs);
}

TEST(ProfileComparison, RecordingsThatTookTheSameSamplesClaimNothing) {
  Recordings before(6, program({1000, 500}));
  const Recordings after{program({1100, 500}), program({1090, 505}), program({1110, 498}),
                         program({1120, 501}), program({1080, 502}), program({1105, 503})};
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::pairs) << "counted";
  for (ProfileSummary& each : before) each.exact = false;
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::equal) << "sampled";
  EXPECT_FALSE(has_interval(compare_profiles(before, after).count));
  before[1] = program({1001, 500});
  EXPECT_EQ(compare_profiles(before, after).evidence, Evidence::pairs);
}

TEST(ProfileComparison, RowsOfFewSamplesAreNotTested) {
  const Recordings before(6, program({1000, 4, 5})), after(6, program({1000, 5, 5}));
  const ProfileComparison comparison = compare_profiles(before, after);
  EXPECT_EQ(comparison.tests, 3U) << "everything, f0 and f2, which never differ";
  EXPECT_FALSE(row_of(comparison, "f1").count.test);
  EXPECT_FALSE(has_interval(row_of(comparison, "f1").count));
  EXPECT_TRUE(row_of(comparison, "f2").count.test);
  const Recordings short_runs(6, program({2}));
  EXPECT_EQ(compare_profiles(short_runs, short_runs).tests, 1U) << "everything is always tested";
}

// Draws a recording of a program with functions of very unequal sizes. The machine's speed differs
// from run to run, and samples are taken at random.
ProfileSummary drawn(std::mt19937_64& random, double work_of_first) {
  const double slower = std::exp(std::normal_distribution<double>(0, 0.04)(random));
  std::vector<std::uint64_t> samples;
  double mean = 400 * work_of_first;
  for (int i = 0; i < 12; ++i, mean = 240 / std::pow(1.7, i))
    samples.push_back(
        static_cast<std::uint64_t>(std::poisson_distribution<int>(mean * slower)(random)));
  return program(samples);
}

struct Claims {
  int all = 0, any_row = 0, first = 0, held = 0;
};

Claims claims(std::size_t recordings, double work_of_first, int times) {
  std::mt19937_64 random(20261126);
  Claims found;
  for (int i = 0; i < times; ++i) {
    Recordings before, after;
    for (std::size_t k = 0; k < recordings; ++k) {
      before.push_back(drawn(random, 1));
      after.push_back(drawn(random, work_of_first));
    }
    const ProfileComparison comparison = compare_profiles(before, after);
    const RowChange& first = row_of(comparison, "f0");
    found.all += comparison.count.is_significant();
    found.any_row += std::ranges::any_of(
        comparison.rows, [](const RowChange& row) { return row.count.is_significant(); });
    found.first += first.count.is_significant();
    const double truth = 400 * (work_of_first - 1) * std::exp(0.04 * 0.04 / 2) * kPeriod;
    found.held += first.count.gained.low <= truth && truth <= first.count.gained.high;
  }
  return found;
}

TEST(ProfileComparison, AProgramComparedWithItselfRarelyHasASignificantChange) {
  constexpr int kTimes = 1000;
  for (const std::size_t recordings : {6U, 9U, 12U}) {
    const Claims found = claims(recordings, 1, kTimes);
    EXPECT_LE(found.all, 0.06 * kTimes) << recordings;
    EXPECT_LE(found.any_row, 0.06 * kTimes) << recordings;
  }
}

TEST(ProfileComparison, FindsAChangeAndItsIntervalHoldsIt) {
  constexpr int kTimes = 200;
  EXPECT_GT(claims(9, 1.5, kTimes).first, 0.9 * kTimes);
  const Claims many = claims(12, 1.2, kTimes);
  EXPECT_GT(many.first, 0.9 * kTimes);
  EXPECT_GE(many.held, 0.95 * kTimes);
}

}  // namespace
}  // namespace tacho::TEST_FILE
