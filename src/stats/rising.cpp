// Rising curves: two witnesses against a value; isotonic regression, then interpolation.
#include "stats/rising.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "stats/normal.hpp"

namespace tacho {
namespace {

// Neighbouring points whose shares were pooled into one mean, weighted with 1/sigma².
struct Pool {
  double mean = 0;
  double weight = 0;
  std::size_t size = 0;
};

std::vector<Pool> pools_of(std::span<const SharePoint> points) {
  std::vector<Pool> pools;
  for (const SharePoint& point : points) {
    Pool pool{point.share, 1 / (point.sigma * point.sigma), 1};
    while (!pools.empty() && pools.back().mean >= pool.mean) {
      const Pool& left = pools.back();
      const double weight = left.weight + pool.weight;
      pool.mean = (left.mean * left.weight + pool.mean * pool.weight) / weight;
      pool.weight = weight;
      pool.size += left.size;
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  return pools;
}

}  // namespace

std::vector<bool> stands_out(std::span<const Bounds> values, double factor, double more) {
  std::vector<bool> found(values.size());
  double least = std::numeric_limits<double>::infinity();
  double second = least;
  for (std::size_t i = values.size(); i-- > 0;) {
    found[i] = values[i].low > factor * second + more;
    second = std::min(second, std::max(least, values[i].high));
    least = std::min(least, values[i].high);
  }
  return found;
}

std::optional<Crossing> half_crossing(std::span<const SharePoint> points) {
  std::vector<double> share;
  std::vector<double> error95;
  for (const Pool& pool : pools_of(points)) {
    share.insert(share.end(), pool.size, pool.mean);
    error95.insert(error95.end(), pool.size, kTwoSided95 / std::sqrt(pool.weight));
  }
  const auto above = static_cast<std::size_t>(
      std::ranges::find_if(share, [](double s) { return s >= 0.5; }) - share.begin());
  if (above == 0 || above == share.size()) return {};

  const std::size_t below = above - 1;
  Crossing crossing;
  crossing.x = points[below].x + (points[above].x - points[below].x) * (0.5 - share[below]) /
                                     (share[above] - share[below]);
  std::size_t low = below;
  while (low > 0 && share[low] + error95[low] >= 0.5) --low;
  std::size_t high = above;
  while (high + 1 < share.size() && share[high] - error95[high] <= 0.5) ++high;
  crossing.low = points[low].x;
  crossing.high = points[high].x;
  return crossing;
}

}  // namespace tacho
