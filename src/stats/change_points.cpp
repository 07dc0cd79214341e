#include "stats/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/centred_ranks.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr std::size_t kFewestOfLevel = 5;  // values of a level
constexpr double kLeastChange = 0.1;       // of the larger median

// The probability that the range of a Brownian bridge is larger.
double range_probability(double x) {
  constexpr double kLeast = 0.6;  // below it the probability is above 0.99
  if (x < kLeast) return 1;
  double probability = 0;
  for (int k = 1; k <= 20; ++k) {
    const double square = static_cast<double>(k * k) * x * x;
    probability += 2 * (4 * square - 1) * std::exp(-2 * square);
  }
  return std::clamp(probability, 0.0, 1.0);
}

bool is_worth_telling(std::span<const double> values, const LevelChange& change) {
  std::vector<double> inside, outside;
  for (std::size_t i = 0; i < values.size(); ++i)
    (i >= change.from && i < change.to ? inside : outside).push_back(values[i]);
  const double one = median(inside);
  const double other = median(outside);
  return std::fabs(one - other) >= kLeastChange * std::max(one, other);
}

}  // namespace

LevelChange clearest_change(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const std::vector<double> ranks = centred_ranks(values);
  double sum = 0, low = 0, high = 0;
  std::size_t lowest = 0, highest = 0;  // numbers of values that the sums are of
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    sum += ranks[i];
    if (sum < low) {
      low = sum;
      lowest = i + 1;
    } else if (sum > high) {
      high = sum;
      highest = i + 1;
    }
  }
  if (high == low) return {};
  // Without a change, the sums are a Brownian bridge of this scale.
  const double scale = std::sqrt(n * (n * n - 1) / 12);
  return {.from = std::min(lowest, highest),
          .to = std::max(lowest, highest),
          .border = -low > high ? lowest : highest,
          .probability = range_probability((high - low) / scale)};
}

std::vector<std::size_t> change_points(std::span<const double> values, double risk) {
  std::vector<std::size_t> found;
  std::vector<std::pair<std::size_t, std::size_t>> parts{{0, values.size()}};  // from, to
  while (!parts.empty()) {
    const auto [from, to] = parts.back();
    parts.pop_back();
    const std::span<const double> part = values.subspan(from, to - from);
    const LevelChange change = clearest_change(part);
    if (change.probability >= risk || !is_worth_telling(part, change)) continue;
    if (change.border < kFewestOfLevel || change.border + kFewestOfLevel > part.size()) continue;
    found.push_back(from + change.border);
    parts.emplace_back(from, from + change.border);
    parts.emplace_back(from + change.border, to);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace tacho
