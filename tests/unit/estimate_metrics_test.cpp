// Which metrics a summary has, from which events, and with which interval.
#include "estimate/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "estimate/summarise.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

Metric metric(const char* name, const char* formula) {
  return {name, *Formula::parse(formula), "", ""};
}

Measurement counted(std::vector<std::pair<std::string, std::uint64_t>> counts) {
  Measurement m;
  for (auto& [name, count] : counts) {
    CountedEvent e;
    e.name = name;
    e.slot = m.always.size();
    m.events.push_back(e);
    m.always.push_back(count);
    m.always_running.push_back(1.0);
  }
  return m;
}

std::vector<MetricSummary> metrics_of(const Measurement& m, const Metric& wanted) {
  return summarise(m, std::vector{wanted}).metrics;
}

const Metric kCpi = metric("CPI", "cycles / instructions");

TEST(Metrics, OfCountedEventsAreExact) {
  const auto metrics = metrics_of(counted({{"cycles", 300}, {"instructions", 200}}), kCpi);
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].name, "CPI");
  EXPECT_EQ(metrics[0].value, 1.5);
  EXPECT_EQ(metrics[0].ci95, 0);
}

TEST(Metrics, AreLeftOutWhenAnEventWasNotAskedFor) {
  EXPECT_TRUE(metrics_of(counted({{"cycles", 300}}), kCpi).empty());
}

TEST(Metrics, TakeAnEventWithModifiersForThePlainName) {
  const auto metrics = metrics_of(counted({{"cycles:u", 300}, {"instructions:u", 200}}), kCpi);
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].value, 1.5);
}

TEST(Metrics, PreferTheExactNameAndDoNotGuessAmongSeveral) {
  const auto exact =
      metrics_of(counted({{"cycles:u", 1}, {"cycles", 300}, {"instructions", 200}}), kCpi);
  ASSERT_EQ(exact.size(), 1U);
  EXPECT_EQ(exact[0].value, 1.5);
  EXPECT_TRUE(
      metrics_of(counted({{"cycles:u", 1}, {"cycles:k", 2}, {"instructions", 200}}), kCpi).empty());
}

TEST(Metrics, HaveNoValueOfEventsThatCountDifferentModes) {
  for (const auto& [cycles, instructions] :
       {std::pair("cycles:u", "instructions"), std::pair("cycles", "instructions:k"),
        std::pair("cycles:u", "instructions:k"), std::pair("cycles:uG", "instructions:uH")}) {
    const auto mixed = metrics_of(counted({{cycles, 300}, {instructions, 200}}), kCpi);
    ASSERT_EQ(mixed.size(), 1U) << cycles;
    EXPECT_FALSE(mixed[0].value || mixed[0].ci95) << cycles;
    EXPECT_THAT(mixed[0].reason, HasSubstr(std::string(cycles) + " and " + instructions));
  }
  for (const auto& [cycles, instructions] :
       {std::pair("cycles:uk", "instructions"), std::pair("cycles:ku", "instructions:ukp"),
        std::pair("cycles:pp", "instructions"), std::pair("cycles:k", "instructions:kD"),
        std::pair("cycles:ukh", "instructions:GH")})
    EXPECT_EQ(metrics_of(counted({{cycles, 300}, {instructions, 200}}), kCpi).at(0).value, 1.5)
        << cycles << ' ' << instructions;
}

// A processor at 3 GHz that spends a third of the time in the kernel does not run at 2 GHz.
TEST(Metrics, HaveNoClockRateOfTheCyclesOfSomeModes) {
  const Metric rate = metric("Clock rate", "cycles / task-clock");
  EXPECT_EQ(metrics_of(counted({{"cycles", 300}, {"task-clock", 100}}), rate).at(0).value, 3);
  const auto refused = metrics_of(counted({{"cycles:u", 200}, {"task-clock", 100}}), rate);
  EXPECT_FALSE(refused.at(0).value);
  EXPECT_THAT(refused.at(0).reason, HasSubstr("cycles:u leaves modes out"));
}

TEST(Metrics, HaveAValueForModesThatTheirFormulaNames) {
  const Metric share = metric("kernel", "cycles:k / cycles");
  EXPECT_EQ(metrics_of(counted({{"cycles:k", 100}, {"cycles", 400}}), share).at(0).value, 0.25);
  EXPECT_FALSE(metrics_of(counted({{"cycles:k", 100}}), share).at(0).value) << "not 1";
  const Metric rate = metric("rate", "1e9 * faults / task-clock");
  EXPECT_TRUE(metrics_of(counted({{"faults:u", 100}, {"task-clock", 400}}), rate).at(0).value);
}

TEST(Metrics, DoNotTakeAPlainEventForOneWithModifiers) {
  EXPECT_TRUE(metrics_of(counted({{"cycles", 3}}), metric("u", "cycles:u / 2")).empty());
}

TEST(Metrics, SayWhyThereIsNoValue) {
  Measurement m = counted({{"cycles", 300}, {"instructions", 0}});
  const auto zero = metrics_of(m, kCpi);
  ASSERT_EQ(zero.size(), 1U);
  EXPECT_FALSE(zero[0].value || zero[0].ci95);
  EXPECT_THAT(zero[0].reason, HasSubstr("division by zero"));
  m.events[1].duty = Duty::unsupported;
  const auto missing = metrics_of(m, kCpi);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_FALSE(missing[0].value);
  EXPECT_THAT(missing[0].reason, HasSubstr("instructions"));
}

TEST(Metrics, HaveNoIntervalWhenAnEventHasNone) {
  Measurement m = counted({{"cycles", 300}, {"instructions", 200}});
  m.always_running[1] = 0.5;
  const auto metrics = metrics_of(m, kCpi);
  EXPECT_DOUBLE_EQ(*metrics[0].value, 0.75);
  EXPECT_FALSE(metrics[0].ci95);
  EXPECT_THAT(metrics[0].reason, HasSubstr("instructions"));
}

// A count of all is not below zero, but a difference of two can be.
TEST(Metrics, OnlyADifferenceMayBeNegative) {
  const Measurement m = counted({{"cycles", 300}, {"instructions", 200}});
  const auto ratio = metrics_of(m, kCpi);
  EXPECT_FALSE(ratio.at(0).may_be_negative);
  auto wide = ratio.at(0);
  wide.ci95 = 3;
  EXPECT_GT(ends95(wide)->low, 0);
  auto difference = metrics_of(m, metric("left", "(cycles - instructions) / cycles")).at(0);
  EXPECT_TRUE(difference.may_be_negative);
  difference.ci95 = 3;
  EXPECT_DOUBLE_EQ(ends95(difference)->low, *difference.value - 3);
}

TEST(Metrics, AreMeansOverRepeats) {
  const std::vector<Measurement> runs{counted({{"cycles", 300}, {"instructions", 200}}),
                                      counted({{"cycles", 500}, {"instructions", 200}})};
  const Summary s = summarise_repeats(runs, std::vector{kCpi});
  EXPECT_DOUBLE_EQ(*s.metrics[0].value, 2);
  EXPECT_NEAR(*s.metrics[0].ci95, 12.7062 * 0.5, 1e-3);  // s / √2 = 0.5
}

}  // namespace
}  // namespace tacho::TEST_FILE
