// Student's t quantile, compared with published tables.
#include "stats/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tacho {
namespace {

TEST(Student, IsExactForOneAndTwoDegreesOfFreedom) {
  EXPECT_NEAR(student_t95(1), std::tan(0.475 * std::numbers::pi), 1e-8);
  EXPECT_NEAR(student_t95(2), 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)), 1e-8);
}

TEST(Student,
     AgreesWithPublishedTables) {  // NIST/SEMATECH e-Handbook 1.3.6.7.2, and R's qt(0.975, n)
  struct Row {
    double degrees, quantile;
  };
  for (const Row row : {Row{3, 3.182446}, Row{4, 2.776445}, Row{5, 2.570582}, Row{9, 2.262157},
                        Row{10, 2.228139}, Row{24, 2.063899}, Row{30, 2.042272}, Row{49, 2.009575},
                        Row{100, 1.983972}, Row{249, 1.969537}, Row{1000, 1.962339}})
    EXPECT_NEAR(student_t95(row.degrees), row.quantile, 1e-6) << row.degrees;
}

TEST(Student, NearsTheNormalQuantileAndNeverFallsBelowIt) {
  EXPECT_NEAR(student_t95(1e9), 1.959964, 5e-6);
  EXPECT_GT(student_t95(1e9), 1.959963);
}

TEST(Student, FallsBetweenWholeDegrees) {
  EXPECT_LT(student_t95(6.5), student_t95(6));
  EXPECT_GT(student_t95(6.5), student_t95(7));
}

TEST(Student, TakesLessThanOneDegreeAsOne) {
  EXPECT_EQ(student_t95(0.2), student_t95(1));
}

}  // namespace
}  // namespace tacho
