// Student's t distribution, compared with published tables and with scipy.
#include "stats/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace tacho::TEST_FILE {
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

TEST(Student, TailsAndQuantilesAreScipys) {  // 2 * t.sf(t, degrees), t.isf(tails / 2, degrees)
  struct Row {
    double t, degrees, tails;
  };
  for (const Row row :
       {Row{1, 1, 0.5}, Row{10, 2, 0.009852457023325692}, Row{0.5, 7.3, 0.6317935268044416},
        Row{-25, 3, 0.0001403313899575486}, Row{3, 1e5, 0.0027004608840647194},
        Row{9.924843200918074, 2, 0.01}, Row{8.610301581379652, 4, 0.001},
        Row{3.807878444724721, 9, 0.05 / 12}, Row{28.47847346300838, 5, 1e-6},
        Row{0.764892328080891, 3, 0.5}, Row{636619772.3675814, 1, 1e-9}}) {
    EXPECT_NEAR(student_tails(row.t, row.degrees), row.tails, 1e-9 * row.tails + 1e-15) << row.t;
    EXPECT_NEAR(student_t(row.tails, row.degrees), std::fabs(row.t), 1e-8 * std::fabs(row.t));
  }
  EXPECT_EQ(student_tails(0, 5), 1);
  EXPECT_EQ(student_tails(std::numeric_limits<double>::infinity(), 5), 0);
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
}  // namespace tacho::TEST_FILE
