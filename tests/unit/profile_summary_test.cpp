// The rows of made-up profiles: shares, inclusive shares, callers and callees, metrics. A JIT
// compiler's map names the functions.
#include "profile/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "events_made_up_tree.hpp"
#include "profile/call_view.hpp"
#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;  // PERF_CONTEXT_USER
constexpr std::int32_t kPid = 5;
constexpr std::uint64_t kOuter = 0x1000, kMiddle = 0x1100, kInner = 0x1200, kOther = 0x1300;

// A process whose functions have names.
class Named : public testing::Test {
 protected:
  explicit Named(std::vector<std::string> events = {"cycles"}) : recording_(std::move(events)) {
    tree_.write("perf-5.map", "1000 100 outer\n1100 100 middle\n1200 100 inner\n1300 100 other\n");
    recording_.map(kPid, 0x1000, 0x1000, "//anon");
  }

  // A call chain, innermost first. Return addresses are in the middle of the callers.
  void sample(const std::vector<std::uint64_t>& chain, int times = 1) {
    std::vector<std::uint64_t> addresses{kUser};
    for (const std::uint64_t start : chain) addresses.push_back(start + 0x10);
    for (int i = 0; i < times; ++i)
      recording_.sample(kPid, chain.front() + 0x10, 0, 1000, addresses);
  }

  Resolver resolver() {
    SymbolSources sources;
    sources.perf_maps = tree_.path();
    return {recording_.finished().modules(), recording_.description, sources};
  }
  ProfileSummary summary(std::span<const Metric> metrics = {}) {
    Resolver names = resolver();
    return summarize(recording_.profile, recording_.description, names, SortBy::function, 0,
                     metrics);
  }

  MadeUpTree tree_;
  MadeUpRecording recording_;
};

TEST_F(Named, RowsHaveTheSharesOfTheirSamplesLargestFirst) {
  for (int i = 0; i < 60; ++i) recording_.sample(kPid, kInner + static_cast<std::uint64_t>(i));
  for (int i = 0; i < 30; ++i) recording_.sample(kPid, kOther);
  for (int i = 0; i < 10; ++i) recording_.sample(kPid, 0x9000);
  const ProfileSummary found = summary();
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.rows[0].function, "inner");
  EXPECT_EQ(found.rows[0].counts[0].samples, 60U);
  EXPECT_DOUBLE_EQ(found.rows[0].share, 0.6);
  EXPECT_EQ(found.rows[1].function, "other");
  EXPECT_EQ(found.rows[2].module, "[unknown]");
  EXPECT_EQ(found.rows[2].function, "");
  // 60 and 30 of 100: Wilson's intervals.
  EXPECT_NEAR(found.rows[0].ci95.low, 0.5020, 0.0001);
  EXPECT_NEAR(found.rows[0].ci95.high, 0.6906, 0.0001);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("10 of 100 samples")));
  ASSERT_FALSE(found.comparisons.empty());
  EXPECT_TRUE(found.comparisons[0].apart);
}

TEST_F(Named, SamplesOfAKernelWithoutMappingsAreNotUnknown) {
  recording_.sample(kPid, kInner);
  recording_.kernel_sample(kPid, 0xffffffff81000010);
  const ProfileSummary found = summary();
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[1].module, "[kernel]");
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("1 of 2 samples fell at kernel addresses")));
}

// The variance of the ratio 30 / (30 + 70) is (0.7² 10 · 3² + 0.3² 70) / 100² = 0.00504.
TEST_F(Named, UnequalPeriodsWeighSamplesAndWidenTheIntervalOfAHeavyRow) {
  for (int i = 0; i < 10; ++i) recording_.sample(kPid, kInner, 0, 3000);
  for (int i = 0; i < 70; ++i) recording_.sample(kPid, kOther, 0, 1000);
  const ProfileSummary found = summary();
  EXPECT_DOUBLE_EQ(found.rows[1].share, 0.3);
  const ShareInterval equal = wilson95(0.3, 80);
  EXPECT_GT(found.rows[1].ci95.high - found.rows[1].ci95.low, equal.high - equal.low);
  const ShareInterval right = wilson95(0.3, 0.3 * 0.7 / 0.00504);
  EXPECT_NEAR(found.rows[1].ci95.low, right.low, 1e-9);
  EXPECT_NEAR(found.rows[1].ci95.high, right.high, 1e-9);
}

TEST_F(Named, TheTotalOfARecursiveFunctionCountsEachSampleOnce) {
  sample({kInner, kMiddle, kOuter}, 6);
  sample({kMiddle, kMiddle, kMiddle, kOuter}, 3);
  sample({kOuter}, 1);
  const ProfileSummary found = summary();
  std::map<std::string, std::pair<double, double>> shares;
  for (const ProfileRow& row : found.rows) shares[row.function] = {row.share, *row.total};
  EXPECT_EQ(shares["inner"], std::pair(0.6, 0.6));
  EXPECT_EQ(shares["middle"], std::pair(0.3, 0.9));
  EXPECT_EQ(shares["outer"], std::pair(0.1, 1.0));
}

TEST_F(Named, CallersAndCalleesAddUpToTheSamplesOfTheFunction) {
  sample({kInner, kMiddle, kOuter}, 6);
  sample({kInner, kOther}, 2);
  sample({kMiddle, kOuter}, 2);
  Resolver names = resolver();
  const auto callers = call_view(recording_.profile, names, 0, "inner", CallSide::callers);
  ASSERT_TRUE(callers);
  ASSERT_EQ(callers->rows.size(), 2U);
  EXPECT_EQ(callers->total.samples, 8U);
  EXPECT_EQ(callers->rows[0].function, "middle");
  EXPECT_DOUBLE_EQ(callers->rows[0].share, 0.75);
  EXPECT_EQ(callers->rows[1].function, "other");
  const auto callees = call_view(recording_.profile, names, 0, "middle", CallSide::callees);
  ASSERT_TRUE(callees);
  ASSERT_EQ(callees->rows.size(), 2U);
  EXPECT_EQ(callees->rows[0].function, "inner");
  EXPECT_EQ(callees->rows[0].count.samples, 6U);
  EXPECT_EQ(callees->rows[1].module, "") << "its own samples";
  EXPECT_EQ(callees->rows[1].count.samples, 2U);
  const auto outermost = call_view(recording_.profile, names, 0, "other", CallSide::callers);
  ASSERT_TRUE(outermost);
  EXPECT_EQ(outermost->rows[0].module, "") << "nobody called it";
}

TEST_F(Named, WithoutChainsThereAreNoCallers) {
  recording_.sample(kPid, kInner);
  Resolver names = resolver();
  const auto view = call_view(recording_.profile, names, 0, "inner", CallSide::callers);
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().remedy, "record with -g");
  EXPECT_FALSE(summary().rows[0].total);
}

TEST_F(Named, AnEventThatWasNotRecordedIsAnErrorThatNamesTheRecordedOnes) {
  recording_.sample(kPid, kInner);
  EXPECT_EQ(*choose_event("", recording_.profile, recording_.description), 0U);
  EXPECT_EQ(*choose_event("cycles", recording_.profile, recording_.description), 0U);
  const auto none = choose_event("branches", recording_.profile, recording_.description);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().remedy, HasSubstr("cycles"));
  const MadeUpRecording empty;
  EXPECT_FALSE(choose_event("", empty.profile, empty.description));
}

class TwoEvents : public Named {
 protected:
  TwoEvents() : Named({"cycles:u", "instructions:u"}) {}
  static Metric cpi() {
    return {"CPI", *Formula::parse("cycles / instructions"), "cycles per instruction", ""};
  }
};

TEST_F(TwoEvents, MetricsOfARowAreComputedFromItsOwnCounts) {
  for (int i = 0; i < 200; ++i) recording_.sample(kPid, kInner, 0, 1000);
  for (int i = 0; i < 100; ++i) recording_.sample(kPid, kInner, 1, 1000);
  recording_.sample(kPid, kOther, 0, 1000);
  const std::vector metrics{cpi()};
  const ProfileSummary found = summary(metrics);
  ASSERT_EQ(found.rows[0].metrics.size(), 1U);
  EXPECT_DOUBLE_EQ(*found.rows[0].metrics[0].value, 2);
  // 2 · √((e^(1.96 / √200) - 1)² + (e^(1.96 / √100) - 1)²).
  EXPECT_NEAR(found.rows[0].metrics[0].ci95, 0.5253, 0.0005);
  EXPECT_FALSE(found.rows[1].metrics[0].value) << "one sample tells no ratio";
}

TEST_F(TwoEvents, MetricsAreExactIfEachEventWasASample) {
  for (perfdata::RecordedEvent& event : recording_.description.events) event.period = 1;
  for (int i = 0; i < 6; ++i) recording_.sample(kPid, kInner, 0, 1);
  for (int i = 0; i < 2; ++i) recording_.sample(kPid, kInner, 1, 1);
  recording_.finished();
  const std::vector metrics{cpi()};
  const ProfileSummary found = summary(metrics);
  EXPECT_EQ(found.rows[0].metrics[0].value, 3);
  EXPECT_EQ(found.rows[0].metrics[0].ci95, 0);
}

// How often the interval of a metric covers the true ratio, in made-up rows with these average
// numbers of samples of two events.
double part_covered(double cycles, double instructions) {
  std::mt19937_64 random(1);
  std::poisson_distribution<int> of_cycles(cycles), of_instructions(instructions);
  const std::vector metrics{
      Metric{"CPI", *Formula::parse("cycles / instructions"), "cycles per instruction", ""}};
  int covered = 0, all = 0;
  while (all < 1000) {
    MadeUpRecording run({"cycles", "instructions"});
    run.map(kPid, 0x1000, 0x1000, "//anon");
    for (int left = of_cycles(random); left > 0; --left) run.sample(kPid, kInner, 0, 1000);
    for (int left = of_instructions(random); left > 0; --left) run.sample(kPid, kInner, 1, 1000);
    Resolver names(run.finished().modules(), run.description, {});
    const ProfileSummary found =
        summarize(run.profile, run.description, names, SortBy::module, 0, metrics);
    const RowMetric& metric = found.rows[0].metrics[0];
    if (!metric.value) continue;
    ++all;
    covered += std::abs(*metric.value - cycles / instructions) <= metric.ci95 ? 1 : 0;
  }
  return covered / 1000.0;
}

TEST(IntervalsOfMetrics, CoverTheTruth) {
  EXPECT_GE(part_covered(120, 60), 0.93);
  EXPECT_GE(part_covered(60, 120), 0.93);
}

TEST(IntervalsOfMetrics, CoverTheTruthIfTheDivisorHasFewSamples) {
  EXPECT_GE(part_covered(100, 12), 0.93);
  EXPECT_GE(part_covered(500, 12), 0.93);
}

}  // namespace
}  // namespace tacho::TEST_FILE
