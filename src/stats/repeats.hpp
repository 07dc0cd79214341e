// Repeated runs: the mean, its interval, and the minimum.
#pragma once

#include <optional>
#include <span>

namespace tacho {

struct Repeats {
  double mean = 0;
  double minimum = 0;
  std::optional<double> half_width;  // 95 %, of the mean: t(n-1) · s / √n; none with one run
};

// `values` (one a run) is not empty. The runs are taken as independent and alike. Of counts, `step`
// is what one is worth: a few equal ones do not tell that all are, so the variance is no less than
// that of what lies evenly within a step (GUM, JCGM 100:2008, F.2.2.1). Without it two runs of what
// happens once in ten had intervals that held the mean 18 times in 100.
Repeats over_repeats(std::span<const double> values, double step = 0);

}  // namespace tacho
