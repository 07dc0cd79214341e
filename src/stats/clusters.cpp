#include "stats/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/normal.hpp"
#include "stats/student.hpp"

namespace tacho {

ClusterEffect cluster_effect(std::span<const Cluster> clusters, double squares, DrawnFrom from) {
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
  double residuals_squared = 0, fourth_powers = 0, differences_squared = 0;
  std::optional<double> last;
  for (const Cluster& each : clusters) {
    if (each.draws == 0 && each.sum == 0) continue;
    const double residual = each.sum - mean * each.draws;
    residuals_squared += std::pow(residual, 2);
    fourth_powers += std::pow(residual, 4);
    differences_squared += std::pow(residual - last.value_or(residual), 2);
    last = residual;
  }
  const double own = squares - draws * mean * mean;
  const double alike = draws / draws_squared;  // the worth if each cluster were one value
  const double equal_clusters = draws * alike;
  const bool in_time = from == DrawnFrom::this_run;
  ClusterEffect effect{alike,
                       in_time ? freedom_of_differences(equal_clusters) : equal_clusters - 1};
  if (count <= 1 || own <= 0) return effect;
  const double spread = in_time ? differences_squared / 2 : residuals_squared;
  effect.worth = spread > 0 ? std::min(1.0, own / (spread * count / (count - 1))) : 1;
  if (in_time && fourth_powers > 0)
    effect.freedom =
        std::min(effect.freedom, 2 * residuals_squared * residuals_squared / fourth_powers);
  return effect;
}

double independent_draws(double draws, const ClusterEffect& effect) {
  if (std::isinf(effect.freedom)) return draws * effect.worth;
  return draws * effect.worth * std::pow(kTwoSided95 / student_t95(effect.freedom), 2);
}

}  // namespace tacho
