#include "stats/monotone_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "stats/normal.hpp"

namespace tacho {
namespace {

constexpr double kMiddle = 0.3;  // from one half: a rise is nearly straight from 0.2 to 0.8
constexpr std::size_t kFewestOfLine = 3;  // places for a line

// Neighbouring points with one mean of their shares, weighted with 1/sigma².
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

std::size_t first_at_least(std::span<const double> share, double level) {
  return static_cast<std::size_t>(
      std::ranges::find_if(share, [&](double s) { return s >= level; }) - share.begin());
}

// Interpolates between the points on either side of the level. Returns the first or the last x if
// there is no point on one side.
double crossing_of(std::span<const SharePoint> points, std::span<const double> share,
                   double level) {
  const std::size_t above = first_at_least(share, level);
  if (above == 0) return points.front().x;
  if (above == share.size()) return points.back().x;
  return points[above - 1].x + (points[above].x - points[above - 1].x) *
                                   (level - share[above - 1]) / (share[above] - share[above - 1]);
}

// Returns where the line through the middle of a rise crosses one half (least squares). Many points
// give a better crossing than the two next to it. None if there are too few points, or if the
// crossing is outside of them.
std::optional<double> middle_crossing(std::span<const SharePoint> points,
                                      std::span<const double> share) {
  double n = 0;
  double x = 0;
  double y = 0;
  std::set<double> places;
  const auto each = [&](const auto& take) {
    for (std::size_t i = 0; i < share.size(); ++i)
      if (std::fabs(share[i] - 0.5) <= kMiddle) take(points[i].x, share[i] - 0.5);
  };
  each([&](double at, double above) {
    ++n;
    x += at;
    y += above;
    places.insert(at);
  });
  if (places.size() < kFewestOfLine) return {};
  x /= n;
  y /= n;
  double squares = 0;
  double products = 0;
  each([&](double at, double above) {
    squares += (at - x) * (at - x);
    products += (at - x) * (above - y);
  });
  if (products <= 0) return {};
  const double crossing = x - y * squares / products;
  if (crossing < *places.begin() || crossing > *places.rbegin()) return {};
  return crossing;
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

std::vector<SharePoint> near_least(std::span<const SharePoint> points, double more) {
  std::map<double, double> least;
  for (const SharePoint& point : points) {
    double& share = least.try_emplace(point.x, point.share).first->second;
    share = std::min(share, point.share);
  }
  std::vector<SharePoint> kept;
  for (const SharePoint& point : points)
    if (point.share <= least[point.x] + more) kept.push_back(point);
  return kept;
}

std::optional<Crossing> half_crossing(std::span<const SharePoint> points) {
  std::vector<double> share;
  std::vector<double> error95;
  for (const Pool& pool : pools_of(points)) {
    share.insert(share.end(), pool.size, pool.mean);
    error95.insert(error95.end(), pool.size, kTwoSided95 / std::sqrt(pool.weight));
  }
  const auto above = first_at_least(share, 0.5);
  if (above == 0 || above == share.size()) return {};

  const std::size_t below = above - 1;
  Crossing crossing;
  crossing.x = middle_crossing(points, share).value_or(crossing_of(points, share, 0.5));
  crossing.width = crossing_of(points, share, 0.75) - crossing_of(points, share, 0.25);
  std::size_t low = below;
  while (low > 0 && share[low] + error95[low] >= 0.5) --low;
  std::size_t high = above;
  while (high + 1 < share.size() && share[high] - error95[high] <= 0.5) ++high;
  crossing.low = std::min(points[low].x, crossing.x);
  crossing.high = std::max(points[high].x, crossing.x);
  return crossing;
}

}  // namespace tacho
