// Student's t distribution: the number of standard errors in the half-width of a 95 % interval.
#pragma once

namespace tacho {

// Returns the two-sided 95 % quantile for `degrees` of freedom: P(|T| > t) = 0.05. `degrees` may be
// a fraction. Below 1 it is taken as 1 (12.7062), above a million as a million (1.95997). Solves
// I(ν/2, 1/2; ν/(ν + t²)) = 0.05 (Abramowitz & Stegun, 26.7.1), with the incomplete beta function
// from its continued fraction (DLMF 8.17.22). Relative error below 1e-8. Thread-safe.
double student_t95(double degrees);

// Returns the degrees of freedom of a variance from the differences between successive values, for
// values whose weights are worth `m` equal ones: 2(m-1)² / (3m-4), two thirds of the usual ones (J.
// von Neumann, Distribution of the ratio of the mean square successive difference to the variance,
// Ann. Math. Stat. 12 (1941)). One degree less allows for tails heavier than the normal ones. At
// least 1.
double freedom_of_differences(double m);

}  // namespace tacho
