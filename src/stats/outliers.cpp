#include "stats/outliers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "stats/normal.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

// The median absolute deviation of a normal distribution times this is its standard deviation.
constexpr double kNormalDeviation = 1.4826;
// The part of sets of equal values that may have an outlier.
constexpr double kSetsWithOutlier = 0.01;
// A smaller difference from the median does not matter.
constexpr double kLeastPart = 0.01;

// The cutoff of 4 to 9 values, simulated (tests/unit/stats_outliers_test.cpp). The scale of so few
// is often much too small by chance, more so for odd numbers.
constexpr std::array kOfFew = {16.2, 18.7, 10.2, 10.8, 8.05, 8.25};
// From there on: the normal quantile for one of n values, times 1 + (a + b / n) / n, which was
// fitted to the same simulation. It is 5 % too large at most.
constexpr double kScaleOfMany = 10.3;
constexpr double kScaleOfSome = 24;

}  // namespace

double outlier_cutoff(std::size_t n) {
  if (n < kFewestForOutliers) return INFINITY;
  if (n - kFewestForOutliers < kOfFew.size()) return kOfFew[n - kFewestForOutliers];
  const auto number = static_cast<double>(n);
  return normal_z(kSetsWithOutlier / number) *
         (1 + (kScaleOfMany + kScaleOfSome / number) / number);
}

std::vector<std::size_t> outliers(std::span<const double> values, std::span<const double> sigmas) {
  if (values.size() < kFewestForOutliers) return {};
  std::vector<double> sorted(values.begin(), values.end());
  const double middle = median(sorted);
  for (double& value : sorted) value = std::abs(value - middle);
  const double scale = kNormalDeviation * median(sorted);
  const double cutoff = outlier_cutoff(values.size());
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - middle) >
        std::max(cutoff * std::hypot(scale, sigmas[i]), kLeastPart * std::abs(middle)))
      found.push_back(i);
  return found;
}

}  // namespace tacho
