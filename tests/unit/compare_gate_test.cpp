// Gates: how they are read, and when they hold, are broken, or stay open.
#include "compare/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/judge.hpp"
#include "compare_made_up_runs.hpp"

namespace tacho::TEST_FILE {
namespace {

GateVerdict verdict(const std::string& gate, double low, double high) {
  const PairedRuns runs = made_up_runs({{1, 1}});
  PairedChange change{.member = 1};
  change.verdict = ChangeVerdict::undecided;
  change.low = low;
  change.high = high;
  return judge_gates({*parse_gate(gate)}, runs, {change}).front().verdict;
}

TEST(Gates, ReadMetricDirectionAndBound) {
  const auto upper = parse_gate("instructions<=+1%");
  ASSERT_TRUE(upper.has_value());
  EXPECT_EQ(upper->metric, "instructions");
  EXPECT_TRUE(upper->upper);
  EXPECT_DOUBLE_EQ(upper->bound, 0.01);
  const auto lower = parse_gate(" cpu >= -2.5 % ");
  ASSERT_TRUE(lower.has_value());
  EXPECT_EQ(lower->metric, kCpuTime);
  EXPECT_FALSE(lower->upper);
  EXPECT_DOUBLE_EQ(lower->bound, -0.025);
}

TEST(Gates, WhatIsNoGateIsAnErrorThatShowsOne) {
  for (const std::string text : {"", "cpu", "cpu<3%", "cpu<=3", "<=3%", "cpu<=x%", "cpu<=nan%",
                                 "cpu<=inf%", "cpu<=-100%", "cpu<=1e999%", "cpu<=%", "cpu<=1%%"}) {
    const auto gate = parse_gate(text);
    ASSERT_FALSE(gate.has_value()) << text;
    EXPECT_THAT(gate.error().remedy, testing::HasSubstr("cpu<=+3%")) << text;
  }
}

TEST(Gates, TheWholeIntervalDecides) {
  EXPECT_EQ(verdict("cpu<=+3%", -0.01, 0.02), GateVerdict::holds);
  EXPECT_EQ(verdict("cpu<=+3%", -0.01, 0.03), GateVerdict::holds);
  EXPECT_EQ(verdict("cpu<=+3%", 0.02, 0.04), GateVerdict::undecided);
  EXPECT_EQ(verdict("cpu<=+3%", 0.031, 0.04), GateVerdict::broken);
  EXPECT_EQ(verdict("cpu>=-3%", -0.02, 0.5), GateVerdict::holds);
  EXPECT_EQ(verdict("cpu>=-3%", -0.04, 0.5), GateVerdict::undecided);
  EXPECT_EQ(verdict("cpu>=-3%", -0.9, -0.04), GateVerdict::broken);
  EXPECT_EQ(verdict("cpu<=-5%", -0.2, -0.06), GateVerdict::holds) << "must be 5 % less";
}

TEST(Gates, AnUnknownMetricIsAnErrorThatListsThem) {
  const auto checked = check_gates({*parse_gate("cycels<=1%")}, made_up_runs({{1, 1}}));
  ASSERT_FALSE(checked.has_value());
  EXPECT_THAT(checked.error().what, testing::HasSubstr("'cycels'"));
  EXPECT_THAT(checked.error().remedy, testing::HasSubstr("CPU time"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
