// Several looks at one growing set of observations: how significant each must be, and the interval
// after the look that ended the measurement.
//
// A test that is repeated after 10, 20, 40 and 80 observations, each time at 5 %, claims falsely in
// 14 % of all cases. Here every look has the same lower level (S. J. Pocock, Group sequential
// methods in the design and analysis of clinical trials, Biometrika 64 (1977)).
#pragma once

#include <span>

namespace tacho {

// `looks` are the numbers of observations at the looks, at least one. They increase, each time by
// 0.1 % or more. The sums of observations have a normal distribution.

// Returns the two-sided level at which each look is tested, so that the probability that any look
// claims something that is not there is alpha. The method is numerical integration over the sums
// that are not significant yet (P. Armitage, C. K. McPherson, B. C. Rowe, Repeated significance
// tests on accumulating data, J. R. Statist. Soc. A 132 (1969)). It takes 0.1 ms for 4 looks and
// 1 ms for 10. For looks at 10, 20, 40 and 80 the level is 0.0160.
double look_level(std::span<const double> looks, double alpha = 0.05);

// The mean of one observation, in units of its standard deviation.
struct StoppedInterval {
  double estimate = 0;  // the truth is above it as often as below
  double low = 0, high = 0;
};

// Returns the interval of the confidence 1 - alpha for a measurement that ended at the last of
// these `looks`, because it was significant or because no other look was planned. `level` is
// look_level() of all planned looks; the looks before the last were not significant at it. The z of
// a look with n observations is their sum over √n, in standard deviations: its distribution is
// N(mean · √n, 1). `z` is that of the last look, and finite.
//
// An interval that ignores the earlier looks holds the truth too rarely, because a measurement that
// is far from 0 by chance ends early. Here results are ordered by the look at which they ended, and
// then by z. A limit is the mean for which a result at least as far out has the probability
// alpha / 2; for the estimate it is 1/2 (A. A. Tsiatis, G. L. Rosner, C. R. Mehta, Exact confidence
// intervals following a group sequential test, Biometrics 40 (1984)). With the alpha of
// look_level(), the interval excludes 0 if the last look was significant. It holds 0 if none of the
// planned looks was.
//
// The coverage is exact whatever the mean is. An end for another reason, such as a time limit, must
// not depend on the observations. Then the interval is that of a plan without the later looks: it
// can exclude 0 although z is not significant at `level`.
StoppedInterval stopped_interval(std::span<const double> looks, double level, double z,
                                 double alpha = 0.05);

}  // namespace tacho
