// How a figure grows with the size of the input: the exponent b of y ≈ a · n^b.
#pragma once

#include <cstddef>
#include <span>

namespace tacho {

struct GrowthPoint {
  double n = 0;  // the size, above 0
  double y = 0;  // the figure of one run, 0 or more
};

struct Growth {
  double exponent = 0;       // b
  double low = 0, high = 0;  // its interval, infinite where there are too few points
  double factor = 0;         // a
  std::size_t pairs = 0;     // of points with different n: the slopes behind the exponent
};

// Fits a line to log y over log n. The exponent is the median of the slopes between all points of
// different n. The interval of the confidence 1 - level is from the k-th smallest slope to the k-th
// largest, where k comes from the distribution of Kendall's S, with ties in n (P. K. Sen, Estimates
// of the regression coefficient based on Kendall's tau, J. Am. Statist. Assoc. 63 (1968)). The
// factor is the median of y / n^b. Outliers, even a quarter of the points, do not change these
// figures much. The errors of the points are independent and equally distributed about the line.
//
// One size may have several runs. The interval is finite for 5 sizes with one run each, for 3 sizes
// with two, or for 2 sizes with four (level 0.05). It does not know whether the figure is a power
// of n: n log n has an exponent, too, which falls with n.
//
// A y of 0 is below every other one: exponent and limits can be infinite, but not NaN. The factor
// of an infinite exponent is 0. Without two sizes there is no slope: the exponent is 0, and the
// limits are infinite. `points` is not empty.
//
// Of more than 2,000 points, only every second (third…) is used, in the order of n: so there are 2
// million slopes at most (16 MB).
Growth growth(std::span<const GrowthPoint> points, double level = 0.05);

}  // namespace tacho
