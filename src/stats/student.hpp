// Student's t distribution: tail probabilities, and the number of standard errors in the half-width
// of an interval.
#pragma once

namespace tacho {

// `degrees` of freedom may be a fraction. Below 1 they are taken as 1, above a million as a
// million. All functions are thread-safe.

// Returns P(|T| > |t|): the two-sided p-value of the statistic t, 0 to 1. It is
// I(ν/2, 1/2; ν/(ν + t²)) (Abramowitz & Stegun, 26.7.1). An infinite t has the p-value 0.
double student_tails(double t, double degrees);

// Returns the t for which student_tails() is `tails`, which is above 0 (1e-12 at least) and
// below 1. Relative error below 1e-8.
double student_t(double tails, double degrees);

// Returns the two-sided 95 % quantile: student_t(0.05). For 1 degree it is 12.7062, for a million
// 1.95997.
double student_t95(double degrees);

// Returns the degrees of freedom of a variance from the differences between successive values, for
// values whose weights are worth `m` equal ones: 2(m-1)² / (3m-4), two thirds of the usual ones (J.
// von Neumann, Distribution of the ratio of the mean square successive difference to the variance,
// Ann. Math. Stat. 12 (1941)). One degree less allows for tails heavier than the normal ones. At
// least 1.
double freedom_of_differences(double m);

}  // namespace tacho
