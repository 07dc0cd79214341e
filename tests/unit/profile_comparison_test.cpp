// Comparisons of two made-up profiles, whose truth is known: which rows are the same, and the
// intervals of changes.
#include "profile/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tacho {
namespace {

using testing::ElementsAre;

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
  return summary;
}

std::vector<std::string> names(const std::vector<RowChange>& changes, const ProfileSummary& before,
                               const ProfileSummary& after) {
  std::vector<std::string> named;
  for (const RowChange& each : changes)
    named.push_back(
        (each.row_before ? before.rows[*each.row_before].module : "") + ">" +
        (each.row_after ? after.rows[*each.row_after].module : "") + ":" +
        (each.row_before ? before.rows[*each.row_before] : after.rows[*each.row_after]).function);
  return named;
}

TEST(ProfileComparison, PairsRowsByNameAndRowsOfARenamedProgramIfThePairIsUnique) {
  const ProfileSummary before = profile_of(
      {row_named("old", "work", 500), row_named("libc", "copy", 40), row_named("old", "gone", 30),
       row_named("one", "twice", 20), row_named("two", "twice", 10)});
  const ProfileSummary after =
      profile_of({row_named("new", "work", 200), row_named("libc", "copy", 45),
                  row_named("new", "twice", 4), row_named("new", "come", 2)});
  EXPECT_THAT(names(compare_profiles(before, after), before, after),
              ElementsAre("old>new:work", "old>:gone", "one>:twice", "two>:twice", "libc>libc:copy",
                          ">new:twice", ">new:come"));
}

TEST(ProfileComparison, AMissingRowIsZeroWithTheIntervalOfNoSample) {
  const ProfileSummary before =
      profile_of({row_named("a", "work", 90), row_named("a", "gone", 10)});
  const ProfileSummary after = profile_of({row_named("a", "work", 100)});
  const std::vector<RowChange> changes = compare_profiles(before, after);
  const RowChange& gone = changes[1];
  EXPECT_FALSE(gone.row_after);
  EXPECT_EQ(gone.after.samples, 0U);
  EXPECT_EQ(gone.after.count.value, 0);
  // Wilson's interval of none of 100: z² / (n + z²).
  const double high = 1.959964 * 1.959964 / (100 + 1.959964 * 1.959964);
  EXPECT_NEAR(gone.after.share.high, high, 1e-6);
  EXPECT_NEAR(gone.after.count.high, high * 100 * kPeriod, 0.1);
  EXPECT_EQ(gone.count_gained.value, -10.0 * kPeriod);
  EXPECT_LT(gone.count_gained.low, -10.0 * kPeriod);
}

// Programs whose functions have known shares of a known number of events, before and after a
// change.
TEST(ProfileComparison, IntervalsCoverTheChangesInMadeUpRecordings) {
  std::mt19937_64 random(20260101);
  int held_counts = 0, held_shares = 0, all = 0;
  for (const auto& [n, p, m, q] : std::vector<std::tuple<int, double, int, double>>{
           {2000, 0.98, 900, 0.95}, {400, 0.3, 300, 0.1}, {150, 0.05, 1500, 0.05}}) {
    for (int repetition = 0; repetition < 400; ++repetition) {
      const auto draw = [&](int samples, double share) {
        const auto of =
            static_cast<std::uint64_t>(std::binomial_distribution<int>(samples, share)(random));
        return profile_of({row_named("a", "work", of),
                           row_named("a", "rest", static_cast<std::uint64_t>(samples) - of)});
      };
      const ProfileSummary before = draw(n, p), after = draw(m, q);
      for (const RowChange& each : compare_profiles(before, after)) {
        if (before.rows[*each.row_before].function != "work") continue;
        const double gained = (m * q - n * p) * static_cast<double>(kPeriod);
        held_counts += each.count_gained.low <= gained && gained <= each.count_gained.high;
        held_shares += each.share_gained.low <= q - p && q - p <= each.share_gained.high;
        ++all;
      }
    }
  }
  ASSERT_EQ(all, 1200);
  EXPECT_GE(held_counts, 0.93 * all);
  EXPECT_GE(held_shares, 0.93 * all);
  EXPECT_LE(held_counts, 0.985 * all);  // not wider than needed
  EXPECT_LE(held_shares, 0.985 * all);
}

}  // namespace
}  // namespace tacho
