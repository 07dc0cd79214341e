#include "stats/clusters.hpp"

#include <algorithm>
#include <cmath>

#include "stats/normal.hpp"
#include "stats/student.hpp"

namespace tacho {

ClusterEffect cluster_effect(std::span<const Cluster> clusters, double squares) {
  double count = 0, draws = 0, draws_squared = 0, sum = 0;
  for (const Cluster& each : clusters) {
    count += each.draws > 0 ? 1 : 0;
    draws += each.draws;
    draws_squared += each.draws * each.draws;
    sum += each.sum;
  }
  if (draws == 0) return {1, 0};
  if (draws_squared <= draws) return {};
  const double mean = sum / draws;
  double residuals = 0;
  for (const Cluster& each : clusters) residuals += std::pow(each.sum - mean * each.draws, 2);
  const double own = squares - draws * mean * mean;
  const double alike = draws / draws_squared;  // the worth if each cluster were one value
  ClusterEffect effect{alike, draws * alike - 1};
  if (count > 1 && own > 0)
    effect.worth = residuals > 0 ? std::min(1.0, own / (residuals * count / (count - 1))) : 1;
  return effect;
}

double independent_draws(double draws, const ClusterEffect& effect) {
  if (std::isinf(effect.freedom)) return draws * effect.worth;
  return draws * effect.worth * std::pow(kTwoSided95 / student_t95(effect.freedom), 2);
}

}  // namespace tacho
