#include "stats/growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/quantile.hpp"
#include "stats/rank_distribution.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostPoints = 2000;

struct LogPoint {
  double n, y;
};

// Returns the logarithms in the order of n, of kMostPoints points at most.
std::vector<LogPoint> logarithms(std::span<const GrowthPoint> points) {
  std::vector<LogPoint> all;
  for (const GrowthPoint& point : points) all.push_back({std::log(point.n), std::log(point.y)});
  std::ranges::stable_sort(all, {}, &LogPoint::n);
  const std::size_t step = (all.size() + kMostPoints - 1) / kMostPoints;
  std::vector<LogPoint> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

std::vector<std::size_t> sizes_of_groups(std::span<const LogPoint> points) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i].n != points[i - 1].n) sizes.push_back(0);
    ++sizes.back();
  }
  return sizes;
}

std::vector<double> slopes_between(std::span<const LogPoint> points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = i + 1; k < points.size(); ++k) {
      const double run = points[k].n - points[i].n;
      // The logarithms of two zeros are equal, but infinite.
      const double rise = points[k].y == points[i].y ? 0 : points[k].y - points[i].y;
      if (run > 0) slopes.push_back(rise / run);
    }
  return slopes;
}

// Returns the k-th smallest value, k from 1. Changes the order of the values.
double kth(std::uint64_t k, std::vector<double>& values) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::ranges::nth_element(values, place);
  return *place;
}

double factor_of(std::span<const LogPoint> points, double exponent) {
  if (std::isinf(exponent)) return 0;
  std::vector<double> logarithms;
  for (const LogPoint& point : points) logarithms.push_back(point.y - exponent * point.n);
  return std::exp(median(logarithms));
}

}  // namespace

Growth growth(std::span<const GrowthPoint> points, double level) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<LogPoint> line = logarithms(points);
  std::vector<double> slopes = slopes_between(line);
  Growth result{.low = -kInfinity, .high = kInfinity, .pairs = slopes.size()};
  if (!slopes.empty()) {
    const double middle = kth((slopes.size() + 1) / 2, slopes);
    const double next = kth(slopes.size() / 2 + 1, slopes);
    result.exponent = middle == -next ? 0 : std::midpoint(middle, next);
    const auto orders = RankDistribution::wrong_orders(sizes_of_groups(line));
    if (const std::uint64_t k = orders.limit_rank(level); k > 0) {
      result.low = kth(k, slopes);
      result.high = kth(slopes.size() + 1 - k, slopes);
    }
  }
  result.factor = factor_of(line, result.exponent);
  return result;
}

}  // namespace tacho
