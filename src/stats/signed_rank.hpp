// Wilcoxon's signed-rank test: whether differences have their centre at 0, and where it is.
#pragma once

#include <span>

namespace tacho {

struct SignedRank {
  double estimate = 0;       // of the centre
  double low = 0, high = 0;  // its interval, infinite where there are too few differences
  double p = 1;              // of the hypothesis that the centre is 0, two-sided
};

// Tests whether the differences of pairs have their centre at 0. The differences are independent,
// and their distribution is symmetric; it need not be normal. `differences` is not empty and has no
// NaN.
//
// The estimate is the median of the n(n+1)/2 averages of two differences (or of one with itself),
// and the interval of the confidence 1 - level is from the k-th smallest to the k-th largest
// average, where k comes from the distribution of W (J. L. Hodges and E. L. Lehmann, Estimates of
// location based on rank tests, Ann. Math. Statist. 34 (1963); M. Hollander and D. A. Wolfe,
// Nonparametric Statistical Methods, 3.1 to 3.3). With a level of 0.05 the interval is finite for 6
// differences or more.
//
// The p-value is twice the smaller of P(W <= averages at or below 0) and P(W <= averages at or
// above 0), and at most 1. So the interval excludes 0 if, and only if, p <= level, with ties and
// zeros too. These make p larger, never smaller.
//
// An infinite difference (one count of a pair was 0) is farther from 0 than all finite ones. The
// average of two infinite ones with opposite signs is 0. Limits and estimate can be infinite, but
// not NaN.
//
// Takes n log n steps and no memory for the averages, and n³ / 6 steps more up to 200 differences.
SignedRank signed_rank(std::span<const double> differences, double level = 0.05);

}  // namespace tacho
