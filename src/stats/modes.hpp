// The peaks of a histogram: which of its bumps are no accident of sampling, where they lie and how
// much lies in them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stats/histogram.hpp"
#include "stats/share.hpp"

namespace tacho {

// A peak: a range of values that rises to one top, from valley to valley.
struct Mode {
  std::uint64_t low = 0;   // the least and the greatest value of the middle nine tenths of what
  std::uint64_t high = 0;  // lies in it
  double middle = 0;       // location() of what lies in it
  double middle_low = 0, middle_high = 0;  // its 95 % interval
  std::uint64_t count = 0;                 // what lies in it
  double share = 0;                        // of the histogram
  ShareInterval share95;
};

// Of values that are not independent of each other: what each tells of how many lie from `low` to
// `high`, of what an independent one would, 0…1.
using WorthWithin = std::function<double(std::uint64_t low, std::uint64_t high)>;

// The peaks that hold at least `least_share`, by rising value; empty for an empty histogram. Seen
// through a window that is as wide as the clock's steps and the noise make necessary, two tops are
// two peaks when the valley between them
//   is less than half as high as the lower one, and
//   holds significantly less than it: given what the two windows hold together, the valley's part
//   is binomial if the valley is as high as the top (J. Przyborowski and H. Wilenski, Homogeneity
//   of results in testing samples from Poisson series, Biometrika 31 (1940)). Tops and valleys are
//   sought, and the more places there are to find them at, the likelier noise makes some: each
//   comparison has its part (Bonferroni) of 5 %, so that noise makes two peaks of one in at most
//   one histogram of twenty. To test each valley between two peaks is the idea of I. J. Good and R.
//   A. Gaskins, J. Am. Stat. Assoc. 75 (1980), and M. C. Minnotte, Ann. Stat. 25 (1997).
// Without `worth` the values are independent. With it, what holds the least worth of the peaks that
// there would be then is what all comparisons are made with.
std::vector<Mode> modes(const Histogram&, double least_share = 0.04, const WorthWithin& worth = {});

}  // namespace tacho
