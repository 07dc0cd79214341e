// Holm's method: a published example, and how often it claims something that is not there.
#include "stats/holm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

std::vector<double> adjusted(const std::vector<HolmTest>& tests) {
  std::vector<double> values;
  for (const HolmTest& test : tests) values.push_back(test.adjusted);
  return values;
}

TEST(Holm, AdjustsAsRsFunctionDoes) {  // p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
  const std::vector<HolmTest> tests = holm(std::vector{0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  EXPECT_THAT(adjusted(tests), testing::Pointwise(testing::DoubleNear(1e-12), expected));
  for (std::size_t i = 0; i < tests.size(); ++i)
    EXPECT_EQ(tests[i].rejected, expected[i] <= 0.05) << i;
}

TEST(Holm, TheLevelDecidesAsTheAdjustedValueDoes) {
  const std::vector<double> p_values{0.2, 0.001, 0.04, 0.0124, 0.0166, 0.9};
  const std::vector<HolmTest> tests = holm(p_values);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    EXPECT_EQ(tests[i].rejected, p_values[i] <= tests[i].level) << i;
    EXPECT_EQ(tests[i].rejected, tests[i].adjusted <= 0.05) << i;
  }
  EXPECT_DOUBLE_EQ(tests[1].level, 0.05 / 6);
  EXPECT_DOUBLE_EQ(tests[3].level, 0.05 / 5) << "the first that is too large";
  EXPECT_DOUBLE_EQ(tests[4].level, 0.05 / 5) << "and all after it";
}

TEST(Holm, OneTestIsNotAdjustedAndNoneIsNone) {
  EXPECT_EQ(holm(std::vector{0.04}).front().adjusted, 0.04);
  EXPECT_TRUE(holm(std::vector{0.05}).front().rejected);
  EXPECT_EQ(holm(std::vector{0.7, 0.8}).front().adjusted, 1);
  EXPECT_TRUE(holm({}).empty());
}

// Ten hypotheses: seven are true, and three are false and easily seen.
TEST(Holm, RejectsATrueHypothesisInFiveOfAHundredFamilies) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr int kFamilies = 10'000;
  int wrong = 0, found = 0;
  for (int i = 0; i < kFamilies; ++i) {
    std::vector<double> p_values{1e-6, 1e-4, 1e-3};
    while (p_values.size() < 10) p_values.push_back(uniform(random));
    const std::vector<HolmTest> tests = holm(p_values);
    wrong += std::ranges::any_of(tests.begin() + 3, tests.end(), &HolmTest::rejected) ? 1 : 0;
    found += static_cast<int>(
        std::ranges::count_if(tests.begin(), tests.begin() + 3, &HolmTest::rejected));
  }
  EXPECT_NEAR(1.0 * wrong / kFamilies, 1 - std::pow(1 - 0.05 / 7, 7), 0.008);
  EXPECT_EQ(found, 3 * kFamilies);
}

}  // namespace
}  // namespace tacho::TEST_FILE
