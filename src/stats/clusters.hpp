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
  // Degrees of freedom of `worth`. Infinite if no cluster has more than one value.
  double freedom = std::numeric_limits<double>::infinity();
};

// What the clusters are drawn from.
enum class DrawnFrom {
  // An endless run, of which this run is an example. The variance is that of the clusters about
  // their mean. It has one degree of freedom less than there are clusters; unequal ones count as
  // (Σ draws)² / Σ draws² (L. Kish, Survey Sampling, 1965, 11.7).
  endless_run,
  // This run, in the order of time. The variance is that of differences between neighbours, which
  // leaves out slow changes: the clusters show them all. Its degrees of freedom are those of
  // freedom_of_differences(), and at most 2 (Σ r²)² / Σ r⁴ for residuals r: if a case is in few
  // clusters, these alone show how alike their values are (F. E. Satterthwaite, Biometrics Bulletin
  // 2 (1946); for normal residuals both are two thirds of the clusters).
  this_run,
};

// Divides the variance of a mean of independent values by the variance of a ratio over the clusters
// (W. G. Cochran, Sampling Techniques, 3rd ed., ch. 9A). `squares` is the sum of the squared
// values. If all values are equal, they cannot show how alike the values of a cluster are. Each
// cluster then counts as one value. Without values the freedom is 0.
ClusterEffect cluster_effect(std::span<const Cluster>, double squares, DrawnFrom);

// Returns how many independent values have as much information about a share as `draws` of these.
// It allows for the error of the effect itself: an interval made for a normal distribution gets the
// width of Student's (E. L. Korn and B. I. Graubard, Confidence intervals for proportions with
// small expected number of positive counts estimated from survey data, Survey Methodology 24
// (1998)).
double independent_draws(double draws, const ClusterEffect&);

}  // namespace tacho
