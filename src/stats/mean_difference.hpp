// The difference of two means over runs, and how sure it is: Student's test and interval.
#pragma once

#include <span>

#include "stats/difference.hpp"

namespace tacho {

struct MeanDifference {
  double value = 0;  // after - before
  double standard_error = 0;
  double degrees = 1;  // of freedom
};

// Both functions take one value for each run, at least 2 a side. If values are counted in steps
// (events, or samples that each stand for many), `step` is the size of one. Each value then has the
// additional variance of a uniform distribution over one step, step² / 12 (GUM, JCGM 100:2008,
// F.2.2.1): equal values of a few runs do not show that all runs are equal.

// Runs that belong together in pairs: before[i] with after[i]. Both spans have the same size. The
// spread is that of the differences, so a change of the machine's speed from pair to pair does not
// count (Student, The probable error of a mean, Biometrika 6 (1908)).
MeanDifference paired_difference(std::span<const double> before, std::span<const double> after,
                                 double step = 0);

// Independent runs whose numbers and spreads may differ (B. L. Welch, The generalization of
// 'Student's' problem when several different population variances are involved, Biometrika 34
// (1947); degrees of freedom of F. E. Satterthwaite, Biometrics Bulletin 2 (1946)).
MeanDifference independent_difference(std::span<const double> before, std::span<const double> after,
                                      double step = 0);

// Returns the two-sided p-value of the hypothesis that nothing changed: 1 if the difference is 0.
double p_value(const MeanDifference&);

// Returns the difference with its interval of the confidence 1 - level; `level` as student_t().
Estimated interval(const MeanDifference&, double level);

}  // namespace tacho
