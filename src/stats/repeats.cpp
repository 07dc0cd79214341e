#include "stats/repeats.hpp"

#include <algorithm>
#include <cmath>

#include "stats/student.hpp"

namespace tacho {

Repeats over_repeats(std::span<const double> values, double step) {
  const auto n = static_cast<double>(values.size());
  Repeats repeats;
  for (const double value : values) repeats.mean += value / n;
  repeats.minimum = *std::min_element(values.begin(), values.end());
  if (values.size() < 2) return repeats;
  double squares = 0;
  for (const double value : values) squares += (value - repeats.mean) * (value - repeats.mean);
  const double variance = squares / (n - 1) + step * step / 12;
  repeats.half_width = student_t95(n - 1) * std::sqrt(variance / n);
  return repeats;
}

}  // namespace tacho
