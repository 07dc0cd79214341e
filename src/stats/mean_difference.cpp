#include "stats/mean_difference.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "stats/student.hpp"

namespace tacho {
namespace {

struct Moments {
  double mean = 0;
  double mean_variance = 0;  // variance of the mean
  double degrees = 0;
};

// `step_variance` is added to the variance of the values.
Moments moments(std::span<const double> values, double step_variance) {
  const auto n = static_cast<double>(values.size());
  Moments found;
  for (const double value : values) found.mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  found.degrees = n - 1;
  found.mean_variance = (squares / found.degrees + step_variance) / n;
  return found;
}

}  // namespace

MeanDifference paired_difference(std::span<const double> before, std::span<const double> after,
                                 double step) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(after[i] - before[i]);
  const Moments all = moments(differences, 2 * step * step / 12);
  return {all.mean, std::sqrt(all.mean_variance), all.degrees};
}

MeanDifference independent_difference(std::span<const double> before, std::span<const double> after,
                                      double step) {
  const Moments a = moments(before, step * step / 12);
  const Moments b = moments(after, step * step / 12);
  const double variance = a.mean_variance + b.mean_variance;
  const double uncertainty =
      a.mean_variance * a.mean_variance / a.degrees + b.mean_variance * b.mean_variance / b.degrees;
  return {b.mean - a.mean, std::sqrt(variance),
          uncertainty > 0 ? variance * variance / uncertainty : a.degrees + b.degrees};
}

double p_value(const MeanDifference& difference) {
  if (difference.value == 0) return 1;
  return student_tails(difference.value / difference.standard_error, difference.degrees);
}

Estimated interval(const MeanDifference& difference, double level) {
  const double half_width = difference.standard_error * student_t(level, difference.degrees);
  return {difference.value, difference.value - half_width, difference.value + half_width};
}

}  // namespace tacho
