// The mean over repeated runs, its interval, and the minimum.
#pragma once

#include <optional>
#include <span>

#include "stats/difference.hpp"
#include "stats/interval_ends.hpp"

namespace tacho {

struct Repeats {
  double mean = 0;
  double minimum = 0;
  std::optional<double> half_width;  // of the mean, 95 %; none for one run
};

// `values` has one value a run, in the order of the runs, and is not empty.
//
// The half-width is the larger of two. Student's, t(n-1) · s / √n, is right if the runs are
// independent. But runs in a row often are not: neighbours are alike, because the machine changes
// slowly. Then the mean moves with these slow changes, and only they count: t(3) · √(S / n), where
// S is the mean square of the three slowest cosines in the runs, Λj = √(2/n) Σ (x_i - mean)
// cos(π j (i - 1/2) / n) (E. Lazarus, D. J. Lewis, J. H. Stock and M. W. Watson, HAR inference:
// recommendations for practice, J. Business & Economic Statistics 36 (2018)). Of independent runs
// with a normal distribution this interval holds the mean 95 times in 100, too. With all n - 1
// cosines it is Student's interval, so it says nothing new for four runs or fewer. Changes that are
// slower than all the runs together cannot be seen in them (docs/explanation/statistics.md).
//
// For counts, `step` is the value of one count: a few equal counts do not show that all runs are
// equal, so the variance includes that of a uniform distribution over one step (GUM, JCGM 100:2008,
// F.2.2.1). Example: an event happens in one run of ten. Without this variance, intervals of two
// runs cover the mean 18 times in 100.
Repeats over_repeats(std::span<const double> values, double step = 0);

// The mean of a figure that cannot be negative, without an interval for one run.
Estimated estimated(const Repeats&);

// The ends of the interval of a positive figure; none for one run.
std::optional<IntervalEnds> ends95(const Repeats&);

}  // namespace tacho
