#include "stats/plateaus.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace tacho {
namespace {

constexpr double kMostOfAPoint = 9;             // greatest cost of a point: three sigma, squared
constexpr double kStretch = 2 * kMostOfAPoint;  // cost of a stretch: as two outliers
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The points first…last with their level, and their cost plus that of the stretches before them.
struct Stretch {
  std::size_t first = 0;
  double level = 0;
  double cost = 0;
  std::optional<std::size_t> before;  // index among the stretches that end at first - 1
};

double off(const CurvePoint& point, double level) {
  const double sigmas = (point.y - level) / point.sigma;
  return std::min(sigmas * sigmas, kMostOfAPoint);
}

// The cost of one level for a stretch that grows to the right.
struct Candidate {
  double cost = 0;
  std::size_t points = 0;
  std::size_t from = 0, to = 0;  // the first and the last point on the level
};

bool keeps(const Candidate& candidate, std::span<const CurvePoint> points,
           const PlateauRules& rules) {
  const auto between = static_cast<double>(candidate.to - candidate.from + 1);
  return candidate.points >= rules.fewest &&
         static_cast<double>(candidate.points) >= rules.least_share * between &&
         points[candidate.to].x - points[candidate.from].x >= rules.least_span;
}

using Ending = std::vector<std::vector<Stretch>>;  // stretches by their last point

// Returns every stretch that keeps the rules by itself, at its cheapest level.
Ending stretches(std::span<const CurvePoint> points, const PlateauRules& rules) {
  Ending ending(points.size());
  std::vector<Candidate> candidates;
  for (std::size_t first = 0; first < points.size(); ++first) {
    candidates.assign(points.size(), {});
    for (std::size_t last = first; last < points.size(); ++last) {
      const CurvePoint& point = points[last];
      Stretch best{first, 0, kInfinite, {}};
      for (std::size_t i = 0; i < points.size(); ++i) {
        Candidate& candidate = candidates[i];
        const double cost = off(point, points[i].y);
        candidate.cost += point.weight * cost;
        if (cost < kMostOfAPoint) {
          if (candidate.points++ == 0) candidate.from = last;
          candidate.to = last;
        }
        if (candidate.cost < best.cost && keeps(candidate, points, rules)) {
          best.cost = candidate.cost;
          best.level = points[i].y;
        }
      }
      if (best.cost < kInfinite) ending[last].push_back(best);
    }
  }
  return ending;
}

}  // namespace

std::vector<Plateau> find_plateaus(std::span<const CurvePoint> points, const PlateauRules& rules) {
  Ending ending = stretches(points, rules);
  for (auto& alternatives : ending) {
    for (Stretch& stretch : alternatives) {
      stretch.cost += kStretch;
      if (stretch.first == 0) continue;
      double least = kInfinite;
      const auto& before = ending[stretch.first - 1];
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].cost >= least || stretch.level - before[i].level < rules.least_rise) continue;
        least = before[i].cost;
        stretch.before = i;
      }
      stretch.cost += least;
    }
  }
  if (points.empty()) return {};

  std::vector<Plateau> found;
  std::size_t last = points.size() - 1;
  const auto cheapest = std::ranges::min_element(ending[last], {}, &Stretch::cost);
  if (cheapest == ending[last].end() || cheapest->cost == kInfinite) return {};
  const Stretch* stretch = &*cheapest;
  while (true) {
    Plateau plateau{stretch->level, {}};
    for (std::size_t i = stretch->first; i <= last; ++i)
      if (off(points[i], stretch->level) < kMostOfAPoint) plateau.points.push_back(i);
    found.push_back(std::move(plateau));
    if (!stretch->before) break;
    last = stretch->first - 1;
    stretch = &ending[last][*stretch->before];
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<double> weights_by_spacing(std::span<const double> places, double sparse) {
  std::vector<double> weights(places.size(), 1.0);
  for (std::size_t first = 0; first < places.size();) {
    std::size_t end = first;
    while (end < places.size() && places[end] == places[first]) ++end;
    const double before = first == 0 ? 0 : places[first] - places[first - 1];
    const double after = end == places.size() ? 0 : places[end] - places[first];
    const double apart = first == 0 || end == places.size() ? before + after : (before + after) / 2;
    const bool only = first == 0 && end == places.size();
    for (std::size_t i = first; i < end; ++i)
      weights[i] = (only ? 1.0 : std::min(1.0, apart / sparse)) / static_cast<double>(end - first);
    first = end;
  }
  return weights;
}

}  // namespace tacho
