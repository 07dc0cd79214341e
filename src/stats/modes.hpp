// Finds the peaks of a histogram that are not noise: their location and their share of the values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stats/histogram.hpp"
#include "stats/share.hpp"

namespace tacho {

// A peak: a range of values that rises to one top, from valley to valley.
struct Mode {
  std::uint64_t low = 0;                   // 5 % quantile of the values in the peak
  std::uint64_t high = 0;                  // 95 % quantile
  double middle = 0;                       // location() of these values
  double middle_low = 0, middle_high = 0;  // 95 % interval of `middle`
  std::uint64_t count = 0;                 // number of values in the peak
  double share = 0;                        // of all values of the histogram
  ShareInterval share95;
};

// For values that are not independent: returns the information that one value has about the number
// of values from `low` to `high`, as a share (0…1) of that in an independent value.
using WorthWithin = std::function<double(std::uint64_t low, std::uint64_t high)>;

// Returns the peaks with at least `least_share` of the values, by rising value. Empty for an empty
// histogram. The histogram is smoothed by a window as wide as the clock's step and the usual spread
// of a value. Two tops are two peaks if the valley between them meets both conditions:
//   - It is less than half as high as the lower top.
//   - It has significantly fewer values than this top. If both had the same height, the valley's
//   part
//     of the values in the two windows would be binomial (J. Przyborowski and H. Wilenski,
//     Homogeneity of results in testing samples from Poisson series, Biometrika 31 (1940)). There
//     are many places for tops and valleys, so each comparison gets its part of 5 % (Bonferroni):
//     noise splits a peak in at most one histogram of twenty.
// The test of each valley between two peaks follows I. J. Good and R. A. Gaskins, J. Am. Stat.
// Assoc. 75 (1980), and M. C. Minnotte, Ann. Stat. 25 (1997). Without `worth` the values are
// independent. With it, the peaks are searched twice: the second time all comparisons use the least
// worth of the peaks found first.
std::vector<Mode> modes(const Histogram&, double least_share = 0.04, const WorthWithin& worth = {});

}  // namespace tacho
