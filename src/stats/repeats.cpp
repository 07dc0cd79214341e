#include "stats/repeats.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "stats/student.hpp"

namespace tacho {
namespace {

// Number of cosines that stand for slow changes. Three see a drift, a rise and fall, and a wave.
// With fewer, Student's t is so large that intervals of steady runs are twice as wide; with more,
// two measurements of one program exclude each other too often (bench/repeat_coverage.py).
constexpr std::size_t kSlowest = 3;

// The mean square of the `kSlowest` slowest cosines in the runs: their part of the variance of one
// run. A cosine of half a period over all runs is the slowest.
double slow_variance(std::span<const double> values, double mean) {
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (std::size_t j = 1; j <= kSlowest; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double place = (static_cast<double>(i) + 0.5) / n;  // 0…1, the middle of the run
      sum += (values[i] - mean) * std::cos(std::numbers::pi * static_cast<double>(j) * place);
    }
    squares += sum * sum * 2 / n;
  }
  return squares / static_cast<double>(kSlowest);
}

}  // namespace

Repeats over_repeats(std::span<const double> values, double step) {
  const auto n = static_cast<double>(values.size());
  Repeats repeats;
  repeats.minimum = *std::min_element(values.begin(), values.end());
  double above = 0;  // so the mean of equal values is exact
  for (const double value : values) above += value - repeats.minimum;
  repeats.mean = repeats.minimum + above / n;
  if (values.size() < 2) return repeats;
  const auto half_width = [&](double variance, double degrees) {
    return student_t95(degrees) * std::sqrt((variance + step * step / 12) / n);
  };
  double squares = 0;
  for (const double value : values) squares += (value - repeats.mean) * (value - repeats.mean);
  repeats.half_width = half_width(squares / (n - 1), n - 1);
  if (values.size() > kSlowest + 1) {
    repeats.half_width = std::max(
        *repeats.half_width, half_width(slow_variance(values, repeats.mean), double{kSlowest}));
  }
  return repeats;
}

Estimated estimated(const Repeats& repeats) {
  if (!repeats.half_width) return without_interval(repeats.mean);
  return {repeats.mean, std::max(0.0, repeats.mean - *repeats.half_width),
          repeats.mean + *repeats.half_width};
}

std::optional<IntervalEnds> ends95(const Repeats& repeats) {
  if (!repeats.half_width) return std::nullopt;
  return positive_ends95(repeats.mean, *repeats.half_width);
}

}  // namespace tacho
