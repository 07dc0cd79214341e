#include "stats/bend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "stats/student.hpp"

namespace tacho {
namespace {

constexpr std::size_t kFewestPoints = 5;
constexpr std::size_t kSteps = 512;
constexpr double kParameters = 3;  // the bend, the level, the slope

struct Fit {
  double x = 0;
  double level = 0;
  double slope = 0;
  double squares = 0;
};

// A line over what lies behind `x`, and a level before it.
Fit fit_at(double x, std::span<const BendPoint> points) {
  const auto n = static_cast<double>(points.size());
  const auto behind = [&](const BendPoint& point) { return std::max(0.0, point.x - x); };
  double sum_u = 0, sum_y = 0;
  for (const BendPoint& point : points) sum_u += behind(point), sum_y += point.y;
  double uu = 0, uy = 0;
  for (const BendPoint& point : points) {
    const double u = behind(point) - sum_u / n;
    uu += u * u;
    uy += u * (point.y - sum_y / n);
  }
  Fit fit{x, 0, uu > 0 ? uy / uu : 0, 0};
  fit.level = sum_y / n - fit.slope * sum_u / n;
  for (const BendPoint& point : points) {
    const double off = point.y - fit.level - fit.slope * behind(point);
    fit.squares += off * off;
  }
  return fit;
}

}  // namespace

std::optional<Bend> find_bend(std::span<const BendPoint> points, double sigma) {
  if (points.size() < kFewestPoints) return {};
  const double begin = points.front().x;
  const double end = points.back().x;
  std::vector<Fit> fits;
  for (std::size_t i = 0; i < kSteps; ++i)
    fits.push_back(fit_at(begin + (end - begin) * static_cast<double>(i) / kSteps, points));
  const auto best = std::ranges::min_element(fits, {}, &Fit::squares);
  if (best->slope <= 0) return {};
  const double free = static_cast<double>(points.size()) - kParameters;
  const double variance = std::max(best->squares / free, sigma * sigma);
  const double t = student_t95(free);
  const auto within = [&](double more) {
    const auto is_good = [&](const Fit& fit) { return fit.squares <= best->squares + more; };
    const auto first = std::ranges::find_if(fits, is_good);
    const auto last = std::find_if(fits.rbegin(), fits.rend(), is_good);
    return std::pair(first->x, last->x);
  };
  const auto [low, high] = within(t * t * variance);
  const auto [from, to] = within(variance);
  return Bend{(from + to) / 2, low, high, best->level};
}

}  // namespace tacho
