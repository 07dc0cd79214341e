// The mean over repeated runs, its interval, and the minimum.
#pragma once

#include <optional>
#include <span>

namespace tacho {

struct Repeats {
  double mean = 0;
  double minimum = 0;
  std::optional<double> half_width;  // of the mean, 95 %: t(n-1) · s / √n; none for one run
};

// `values` has one value a run and is not empty. The runs are independent and alike. For counts,
// `step` is the value of one count: a few equal counts do not show that all runs are equal, so the
// variance includes that of a uniform distribution over one step (GUM, JCGM 100:2008, F.2.2.1).
// Example: an event happens in one run of ten. Without this variance, intervals of two runs cover
// the mean 18 times in 100.
Repeats over_repeats(std::span<const double> values, double step = 0);

}  // namespace tacho
