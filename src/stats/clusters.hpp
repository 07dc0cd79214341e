// How sure a mean is whose values come in clusters: what one branch stack holds ran within a moment
// and is alike, so that many executions of few stacks tell less than as many of many.
#pragma once

#include <limits>
#include <span>

namespace tacho {

// So many values, and their sum.
struct Cluster {
  double draws = 0, sum = 0;
};

struct ClusterEffect {
  // What one value tells, of what one drawn by itself would: 0…1.
  double worth = 1;
  // Degrees of freedom of that: one less than the clusters, where all weigh the same (the square of
  // their draws over the sum of squares: L. Kish, Survey Sampling, 1965, 11.7). Infinite where no
  // cluster has more than one value.
  double freedom = std::numeric_limits<double>::infinity();
};

// The variance that the mean would have if each value were drawn by itself over that of a ratio
// over the clusters (W. G. Cochran, Sampling Techniques, 3rd ed., ch. 9A). `squares` is the sum of
// the values' squares. Values that are all equal do not tell how alike those of a cluster are: each
// cluster is taken for one value. No values: no freedom.
ClusterEffect cluster_effect(std::span<const Cluster>, double squares);

// How many independent values tell as much of a share as so many of these, with an allowance for
// the effect's own error: an interval that is made for a normal distribution gets the width of
// Student's (E. L. Korn and B. I. Graubard, Confidence intervals for proportions with small
// expected number of positive counts estimated from survey data, Survey Methodology 24 (1998)).
double independent_draws(double draws, const ClusterEffect&);

}  // namespace tacho
