#include "stats/looks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "stats/normal.hpp"

namespace tacho {
namespace {

// Points and weights for an integral from -1 to 1: Gauss and Legendre's (Abramowitz & Stegun,
// 25.4.29).
struct Rule {
  std::vector<double> points, weights;
};

Rule gauss_legendre(std::size_t n) {
  Rule rule;
  const auto count = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (count + 0.5));
    double slope = 0;
    for (double step = 1; std::fabs(step) > 1e-14; x -= step) {  // Newton's method
      double before = 0, value = 1;
      for (std::size_t k = 0; k < n; ++k) {
        const auto degree = static_cast<double>(k);
        const double next = ((2 * degree + 1) * x * value - degree * before) / (degree + 1);
        before = value;
        value = next;
      }
      slope = count * (x * value - before) / (x * x - 1);
      step = value / slope;
    }
    rule.points.push_back(x);
    rule.weights.push_back(2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

// Returns a rule with enough points for the sums between the critical values at each look. The
// shortest distance over which their density changes is the standard deviation of the observations
// from one look to the next.
Rule rule_for(std::span<const double> looks, double critical) {
  constexpr double kPointsPerDeviation = 2;  // measured: the level does not change with 5
  constexpr std::size_t kFewest = 12, kMost = 512;
  double widest = 0, before = 0;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    double step = looks[i] - before;
    if (i + 1 < looks.size()) step = std::min(step, looks[i + 1] - looks[i]);
    widest = std::max(widest, 2 * critical * std::sqrt(looks[i] / step));
    before = looks[i];
  }
  return gauss_legendre(
      std::min(kMost, kFewest + static_cast<std::size_t>(kPointsPerDeviation * widest)));
}

// The measurements that go on after a look, as points of an integral over their sums.
struct GoingOn {
  double observations = 0;
  std::vector<double> sums{0};
  std::vector<double> probabilities{1};  // if the mean is 0
};

GoingOn after_look(const GoingOn& before, double observations, double critical, const Rule& rule) {
  GoingOn after{observations, {}, {}};
  const double variance = observations - before.observations;
  const double largest = critical * std::sqrt(observations);
  const double scale = largest / std::sqrt(2 * std::numbers::pi * variance);
  for (std::size_t i = 0; i < rule.points.size(); ++i) {
    const double sum = largest * rule.points[i];
    double density = 0;
    for (std::size_t k = 0; k < before.sums.size(); ++k) {
      const double step = sum - before.sums[k];
      density += before.probabilities[k] * std::exp(-step * step / (2 * variance));
    }
    after.sums.push_back(sum);
    after.probabilities.push_back(rule.weights[i] * scale * density);
  }
  return after;
}

// Probability to go on until the next look and to be above z there. With another mean than 0, the
// probability of a sum changes by the ratio of the likelihoods.
double above_at_next(const GoingOn& before, double observations, double z, double mean) {
  const double deviation = std::sqrt(observations - before.observations);
  double result = 0;
  for (std::size_t k = 0; k < before.sums.size(); ++k) {
    const double sum = before.sums[k];
    result += before.probabilities[k] * std::exp(mean * (sum - mean * before.observations / 2)) *
              normal_tail((z * std::sqrt(observations) - sum) / deviation - mean * deviation);
  }
  return result;
}

// The looks with a common critical value, and what goes on before each.
class Looks {
 public:
  Looks(std::span<const double> looks, double critical, const Rule& rule)
      : looks_(looks), critical_(critical), before_(1) {
    while (before_.size() < looks.size())
      before_.push_back(after_look(before_.back(), looks[before_.size() - 1], critical, rule));
  }

  // Probability to end above the critical value before the last look, or above z at it.
  double above(double z, double mean) const {
    double result = 0;
    for (std::size_t i = 0; i < looks_.size(); ++i)
      result += above_at_next(before_[i], looks_[i], i + 1 < looks_.size() ? critical_ : z, mean);
    return result;
  }

 private:
  std::span<const double> looks_;
  double critical_;
  std::vector<GoingOn> before_;
};

// Returns where a rising function is 0, between `low` and `high` (regula falsi, with M. Dowell and
// P. Jarratt's Illinois modification, BIT 11 (1971)).
double root(const auto& function, double low, double high) {
  constexpr double kSmall = 1e-12;  // the functions are probabilities
  double at_low = function(low), at_high = function(high);
  double before = 0;  // the value one step before
  while (high - low > kSmall * (std::fabs(low) + std::fabs(high))) {
    const double x = low + (high - low) * at_low / (at_low - at_high);
    const double value = function(x);
    if (std::fabs(value) < kSmall) return x;
    if (value < 0) {
      low = x;
      at_low = value;
      if (before < 0) at_high /= 2;
    } else {
      high = x;
      at_high = value;
      if (before > 0) at_low /= 2;
    }
    before = value;
  }
  return (low + high) / 2;
}

}  // namespace

double look_level(std::span<const double> looks, double alpha) {
  if (looks.size() == 1) return alpha;
  const double most = normal_z(alpha / static_cast<double>(looks.size()));  // Bonferroni's
  const Rule rule = rule_for(looks, most);
  const auto spare = [&](double critical) {
    return alpha - 2 * Looks(looks, critical, rule).above(critical, 0);
  };
  return 2 * normal_tail(root(spare, normal_z(alpha), most));
}

StoppedInterval stopped_interval(std::span<const double> looks, double level, double z,
                                 double alpha) {
  if (z < 0) {
    const StoppedInterval mirrored = stopped_interval(looks, level, -z, alpha);
    return {-mirrored.estimate, -mirrored.high, -mirrored.low};
  }
  const double critical = normal_z(level);
  const Looks tests(looks, critical, rule_for(looks, critical));
  const auto mean_for = [&](double probability) {
    const auto excess = [&](double mean) { return tests.above(z, mean) - probability; };
    const double deviation = 1 / std::sqrt(looks.back());
    double low = (z - 3) * deviation, high = (z + 3) * deviation;
    for (double step = deviation; excess(low) > 0; step *= 2) low -= step;
    for (double step = deviation; excess(high) < 0; step *= 2) high += step;
    return root(excess, low, high);
  };
  return {mean_for(0.5), mean_for(alpha / 2), mean_for(1 - alpha / 2)};
}

}  // namespace tacho
