// Homogeneity: is an event's rate the same all through the run? What is not makes an estimate a
// mean over unlike stretches (phases), or leaves it resting on a few periods (bursts).
#pragma once

#include <span>

namespace tacho {

// P that an order drawn at random has as few runs of equal sign as `residuals` has or fewer;
// zeros are left out. Exact (A. Wald and J. Wolfowitz, Ann. Math. Stat. 11 (1940)); one-sided,
// because phases and drift make few runs. 1 when all have one sign.
double runs_test(std::span<const double> residuals);

// P that the cumulative sums of `residuals` (whose sum is about 0) stray as far from 0 as they do
// or further, when the order is random: Kolmogorov's limit for max |S_k| / (s √n), with s the
// sample standard deviation (a CUSUM test as in R. L. Brown, J. Durbin and J. M. Evans, J. R. Stat.
// Soc. B 37 (1975); with a constant mean under the hypothesis the limit is a Brownian bridge). It
// errs on the safe side for few values. 1 when there is nothing to sum.
double cusum_test(std::span<const double> residuals);

struct Homogeneity {
  bool phases = false;  // the rate changed for longer stretches, and by enough to matter
  double swing = 0;  // how far, at the least: standard deviation of the slow changes over the mean
  bool bursts = false;  // periods too few for the interval to be trusted hold most of the count
};

// `counts` and `covered` (the reference) of an event's turns, in time order; `risk` is the
// probability that a steady event is reported to have phases (divide what a whole run may have by
// the number of its events). Phases: one of the two tests rejects at risk / 2, and the slow changes
// are at least a tenth of the mean. Rounds are merged until each is expected to hold 10 events, so
// that rare events on growing periods do not look like drift. Bursts: half of the count lies in at
// most 12 % of the reference and in fewer than 10 turns, far above what chance does to events that
// come singly (index of dispersion above 5, on 10 counts or more).
Homogeneity check_homogeneity(std::span<const double> counts, std::span<const double> covered,
                              double risk);

}  // namespace tacho
