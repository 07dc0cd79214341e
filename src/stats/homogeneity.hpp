// Tests if an event's rate is the same during the whole run. If it changes for longer times
// (phases), an estimate is a mean over unlike phases. If a few periods have most of the count
// (bursts), the estimate depends on these few.
#pragma once

#include <span>

namespace tacho {

// Returns the probability that a random order has as few sequences of equal sign as `residuals`, or
// fewer. Zeros are left out. Exact (A. Wald and J. Wolfowitz, Ann. Math. Stat. 11 (1940)).
// One-sided, because phases and drift make few sequences. 1 if all residuals have one sign.
double runs_test(std::span<const double> residuals);

// Returns the probability that the cumulative sums of `residuals` in a random order go as far from
// 0 as here, or further. The sum of all residuals is about 0. Kolmogorov's limit for max |S_k| / (s
// √n), with s the sample standard deviation. This is a CUSUM test as in R. L. Brown, J. Durbin and
// J. M. Evans, J. R. Stat. Soc. B 37 (1975); if the mean is constant, the limit is a Brownian
// bridge. For few values the probability is too large, which is safe. 1 if all are 0.
double cusum_test(std::span<const double> residuals);

struct Homogeneity {
  bool phases = false;  // the rate changed slowly, and by enough to matter
  double swing = 0;     // standard deviation of the slow changes over the mean; a lower bound
  bool bursts = false;  // most of the count is in so few periods that the interval is not reliable
};

// `counts` and `covered` (the reference) are those of an event's turns, in time order. `risk` is
// the probability that a steady event is reported to have phases; the caller divides the risk of a
// whole run by its number of events. Phases: one of the two tests rejects at risk / 2, and the slow
// changes are at least a tenth of the mean. Rounds are merged until each has 10 expected events.
// Otherwise rare events in growing periods would look like drift. Bursts: half of the count is in
// at most 12 % of the reference and in fewer than 10 turns. The index of dispersion is above 5,
// which events that come singly do not reach, and the count is 10 or more.
Homogeneity check_homogeneity(std::span<const double> counts, std::span<const double> covered,
                              double risk);

}  // namespace tacho
