// Tests formulas over events against values computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "events/formula.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Formula parse(std::string_view text) {
  auto formula = Formula::parse(text);
  EXPECT_TRUE(formula) << text << ": " << formula.error().what;
  return formula.value_or(Formula{});
}

double value(std::string_view text, std::vector<double> values = {}) {
  return parse(text).evaluate(values);
}

std::string failure_of(std::string_view text) {
  const auto formula = Formula::parse(text);
  return formula ? "parsed" : formula.error().what;
}

TEST(EventsFormula, FollowsTheRulesOfArithmetic) {
  EXPECT_DOUBLE_EQ(value("1 + 2 * 3"), 7);
  EXPECT_DOUBLE_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_DOUBLE_EQ(value("10 - 4 - 3"), 3);
  EXPECT_DOUBLE_EQ(value("64 / 4 / 2"), 8);
  EXPECT_DOUBLE_EQ(value("-2 * -3"), 6);
  EXPECT_DOUBLE_EQ(value("1e9*.5"), 5e8);
  EXPECT_DOUBLE_EQ(value("2-1"), 1);
  EXPECT_DOUBLE_EQ(value("cycles/instructions", {9, 2}), 4.5);
  EXPECT_DOUBLE_EQ(value("100 * a / (a + b)", {1, 3}), 25);
}

TEST(EventsFormula, NamesMayHaveTheCharactersOfEventNames) {
  EXPECT_THAT(parse("branch-misses / branches").names(), ElementsAre("branch-misses", "branches"));
  EXPECT_THAT(parse("a - b-c").names(), ElementsAre("a", "b-c"));
  EXPECT_THAT(parse("a- b").names(), ElementsAre("a", "b"));
  EXPECT_THAT(parse("sched:sched_switch + skl::INST_RETIRED:ANY_P").names(),
              ElementsAre("sched:sched_switch", "skl::INST_RETIRED:ANY_P"));
  EXPECT_THAT(parse("`cpu/event=1,umask=2/u` / cycles:u").names(),
              ElementsAre("cpu/event=1,umask=2/u", "cycles:u"));
  EXPECT_THAT(parse("a / (a + b)").names(), ElementsAre("a", "b"));
}

TEST(EventsFormula, TheDivisorIsTheEventThatTheWholeIsDividedBy) {
  for (const char* const text :
       {"cycles / instructions", "1000 * (a + b) / instructions", "a / b / instructions"})
    EXPECT_EQ(Formula::parse(text)->divisor(), "instructions") << text;
  for (const char* const text : {"cycles", "cycles / 5", "a / (b + c)", "a / b * 100", "1 - a / b"})
    EXPECT_FALSE(Formula::parse(text)->divisor()) << text;
}

TEST(EventsFormula, DivisionByZeroIsNotFinite) {
  EXPECT_FALSE(std::isfinite(value("a / b", {1, 0})));
  EXPECT_FALSE(std::isfinite(value("a / b", {0, 0})));
}

TEST(EventsFormula, ErrorsGiveColumnAndReason) {
  EXPECT_EQ(failure_of("a + "), "column 5: a number, a name or '(' is missing at the end");
  EXPECT_EQ(failure_of("a b"), "column 3: an operator is expected");
  EXPECT_EQ(failure_of("(a"), "column 3: a ')' is missing");
  EXPECT_EQ(failure_of("a)"), "column 2: an operator is expected");
  EXPECT_EQ(failure_of("2 * 3cycles"),
            "column 5: a number runs into a name; names that start with a digit need backticks");
  EXPECT_THAT(failure_of(""), HasSubstr("column 1"));
  EXPECT_THAT(failure_of("`a"), HasSubstr("second backtick"));
  EXPECT_THAT(failure_of("``"), HasSubstr("no name between"));
  EXPECT_THAT(failure_of("a % b"), HasSubstr("column 3"));
  EXPECT_THAT(failure_of("1e999"), HasSubstr("not a number"));
}

TEST(EventsFormula, DepthAndLengthAreLimited) {
  EXPECT_DOUBLE_EQ(value(std::string(64, '(') + "1" + std::string(64, ')')), 1);
  EXPECT_THAT(failure_of(std::string(65, '(') + "1" + std::string(65, ')')), HasSubstr("deeply"));
  EXPECT_THAT(failure_of(std::string(65, '-') + "1"), HasSubstr("deeply"));
  EXPECT_THAT(failure_of(std::string(5000, 'a')), HasSubstr("longer than 4096"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
