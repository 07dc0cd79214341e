// Precision of a mean whose values come in clusters. Example: the branches of one branch stack ran
// within a moment and are alike. So many values of few stacks are worth less than as many values of
// many stacks.
#pragma once

#include <limits>
#include <span>

namespace tacho {

struct Cluster {
  double draws = 0;  // number of values
  double sum = 0;
};

struct ClusterEffect {
  // Information in one value, as a share (0…1) of that in an independent value.
  double worth = 1;
  // Degrees of freedom of `worth`. If all clusters have the same size, this is one less than their
  // number. Otherwise the number is (Σ draws)² / Σ draws² (L. Kish, Survey Sampling, 1965, 11.7).
  // Infinite if no cluster has more than one value.
  double freedom = std::numeric_limits<double>::infinity();
};

// Divides the variance of a mean of independent values by the variance of a ratio over the clusters
// (W. G. Cochran, Sampling Techniques, 3rd ed., ch. 9A). `squares` is the sum of the squared
// values. If all values are equal, they cannot show how alike the values of a cluster are. Each
// cluster then counts as one value. Without values the freedom is 0.
ClusterEffect cluster_effect(std::span<const Cluster>, double squares);

// Returns how many independent values have as much information about a share as `draws` of these.
// It allows for the error of the effect itself: an interval made for a normal distribution gets the
// width of Student's (E. L. Korn and B. I. Graubard, Confidence intervals for proportions with
// small expected number of positive counts estimated from survey data, Survey Methodology 24
// (1998)).
double independent_draws(double draws, const ClusterEffect&);

}  // namespace tacho
