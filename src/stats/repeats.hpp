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

// `values` (one a run) is not empty. The runs are taken as independent and alike.
Repeats over_repeats(std::span<const double> values);

}  // namespace tacho
