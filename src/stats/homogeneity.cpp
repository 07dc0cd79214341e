#include "stats/homogeneity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tacho {
namespace {

// See check_homogeneity() in the header for the rules.
constexpr double kLeastSwing = 0.1;  // of the mean: smaller changes may be real, but do no harm
constexpr std::size_t kFewestBlocks = 10;  // fewer blocks are not tested
constexpr double kFewestExpected = 10;     // expected events in a block
constexpr double kBurstShare = 0.12;       // of the reference: bursts are in no more than this
constexpr std::size_t kEnoughBursts = 10;  // turns with bursts: the interval then includes them
constexpr double kBurstDispersion = 5;     // index of dispersion; 1 for events that come singly

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

struct Blocks {
  std::vector<double> counts, covered;
};

Blocks merge_sparse(std::span<const double> counts, std::span<const double> covered, double rate) {
  Blocks blocks;
  double count = 0;
  double reference = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    reference += covered[i];
    if (rate * reference < kFewestExpected) continue;
    blocks.counts.push_back(count);
    blocks.covered.push_back(reference);
    count = reference = 0;
  }
  return blocks;
}

// Returns the standard deviation of the slow changes of the rate over its mean. The variance of the
// slow changes is the variance of the residuals minus that of their successive differences.
double slow_swing(std::span<const double> residuals, double expected_squares) {
  const auto n = static_cast<double>(residuals.size());
  double squares = 0;
  double differences = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    squares += residuals[i] * residuals[i];
    if (i == 0) continue;
    const double step = residuals[i] - residuals[i - 1];
    differences += step * step;
  }
  const double slow = squares - n / (n - 1) * differences / 2;
  return slow > 0 && expected_squares > 0 ? std::sqrt(slow / expected_squares) : 0;
}

bool has_bursts(std::span<const double> counts, std::span<const double> covered, double count,
                double reference) {
  if (count < kFewestExpected) return false;
  const double rate = count / reference;
  double dispersion = 0;
  std::vector<std::size_t> by_rate;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (covered[i] <= 0) continue;
    const double expected = rate * covered[i];
    dispersion += (counts[i] - expected) * (counts[i] - expected) / expected;
    by_rate.push_back(i);
  }
  if (dispersion < kBurstDispersion * static_cast<double>(counts.size() - 1)) return false;
  std::sort(by_rate.begin(), by_rate.end(), [&](std::size_t a, std::size_t b) {
    return counts[a] * covered[b] > counts[b] * covered[a];
  });
  double in_bursts = 0;
  double covered_by_bursts = 0;
  std::size_t turns = 0;
  while (turns < by_rate.size() && in_bursts < count / 2) {
    in_bursts += counts[by_rate[turns]];
    covered_by_bursts += covered[by_rate[turns]];
    ++turns;
  }
  return turns < kEnoughBursts && covered_by_bursts <= kBurstShare * reference;
}

}  // namespace

double runs_test(std::span<const double> residuals) {
  double positive = 0;
  double negative = 0;
  int runs = 0;
  double last = 0;
  for (const double residual : residuals) {
    if (residual == 0) continue;
    (residual > 0 ? positive : negative) += 1;
    if (residual * last <= 0 || runs == 0) ++runs;
    last = residual > 0 ? 1 : -1;
  }
  if (positive == 0 || negative == 0) return 1;
  const double all = log_choose(positive + negative, positive);
  const auto ways = [&](int of_positive, int of_negative) {
    if (of_positive > positive || of_negative > negative) return 0.0;
    return std::exp(log_choose(positive - 1, of_positive - 1) +
                    log_choose(negative - 1, of_negative - 1) - all);
  };
  double probability = 0;
  for (int r = 2; r <= runs; ++r) {
    const int half = r / 2;
    if (r % 2 == 0)
      probability += 2 * ways(half, half);
    else
      probability += ways(half, half + 1) + ways(half + 1, half);
  }
  return std::min(1.0, probability);
}

double cusum_test(std::span<const double> residuals) {
  const auto n = static_cast<double>(residuals.size());
  double sum = 0;
  double furthest = 0;
  double squares = 0;
  for (const double residual : residuals) {
    sum += residual;
    furthest = std::max(furthest, std::fabs(sum));
    squares += residual * residual;
  }
  if (squares <= 0 || n < 2) return 1;
  const double x = furthest / std::sqrt(squares * n / (n - 1));
  double probability = 0;
  double sign = 1;
  for (int k = 1; k <= 100; ++k, sign = -sign)
    probability += 2 * sign * std::exp(-2 * k * k * x * x);
  constexpr double kLeastX =
      0.3;  // below it the probability is above 0.9999; near 0 the series does not converge
  return x < kLeastX ? 1 : std::clamp(probability, 0.0, 1.0);
}

Homogeneity check_homogeneity(std::span<const double> counts, std::span<const double> covered,
                              double risk) {
  Homogeneity result;
  const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double reference = std::accumulate(covered.begin(), covered.end(), 0.0);
  if (count <= 0 || reference <= 0) return result;
  result.bursts = has_bursts(counts, covered, count, reference);

  const Blocks blocks = merge_sparse(counts, covered, count / reference);
  if (blocks.counts.size() < kFewestBlocks) return result;
  const double rate = std::accumulate(blocks.counts.begin(), blocks.counts.end(), 0.0) /
                      std::accumulate(blocks.covered.begin(), blocks.covered.end(), 0.0);
  std::vector<double> residuals;
  double expected_squares = 0;
  for (std::size_t i = 0; i < blocks.counts.size(); ++i) {
    const double expected = rate * blocks.covered[i];
    residuals.push_back(blocks.counts[i] - expected);
    expected_squares += expected * expected;
  }
  result.swing = slow_swing(residuals, expected_squares);
  result.phases = result.swing >= kLeastSwing &&
                  std::min(runs_test(residuals), cusum_test(residuals)) < risk / 2;
  return result;
}

}  // namespace tacho
