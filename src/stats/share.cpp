#include "stats/share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/incomplete_beta.hpp"
#include "stats/normal.hpp"

namespace tacho {
namespace {

constexpr double kOneSided80 = 0.8416212335729143;  // 80 % quantile of the normal distribution
constexpr double kMostSamples = 1e18;               // still fits 64 bits

// Four times the variance that successive differences give: see systematic_samples().
double systematic_variance(double sum, double changes, double weight2) {
  constexpr double kCaution = 4;
  return kCaution * changes * weight2 / (2 * sum * sum);
}

// Returns n times the variance of a - b.
double spread(double a, double b) {
  return a + b - (a - b) * (a - b);
}

}  // namespace

ShareInterval wilson95(double share, double samples) {
  if (samples <= 0) return {};
  const double z2 = kTwoSided95 * kTwoSided95;
  const double scale = 1 / (1 + z2 / samples);
  const double centre = scale * (share + z2 / (2 * samples));
  const double half =
      scale * kTwoSided95 * std::sqrt(share * (1 - share) / samples + z2 / (4 * samples * samples));
  // At 0 and 1 the limit is the share itself, whatever the rounding errors.
  return {share <= 0 ? 0 : std::max(0.0, centre - half),
          share >= 1 ? 1 : std::min(1.0, centre + half)};
}

ShareInterval with_unseen(const ShareInterval& seen, double unseen) {
  return {seen.low * (1 - unseen), seen.high + (1 - seen.high) * unseen};
}

double effective_samples(Weights part, Weights whole) {
  if (!(whole.squares > 0)) return 0;
  const double square = whole.sum * whole.sum;
  const double share = part.sum / whole.sum;
  const double variance =
      ((1 - share) * (1 - share) * part.squares + share * share * (whole.squares - part.squares)) /
      square;
  return share > 0 && share < 1 ? share * (1 - share) / variance : square / whole.squares;
}

double effective_samples_of_difference(Weights both, Weights whole) {
  if (both.squares > 0) return both.sum * whole.sum / both.squares;
  return both.sum > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double systematic_samples(double share, double sum, double changes, double weight2) {
  if (share <= 0 || share >= 1) return 0;
  return share * (1 - share) / systematic_variance(sum, changes, weight2);
}

double systematic_samples_of_difference(double both, double sum, double changes, double weight2) {
  return both <= 0 ? 0 : both / systematic_variance(sum, changes, weight2);
}

bool shares_differ(double a, double b, double samples) {
  if (std::isinf(samples)) return a != b;
  const double both = (a + b) * samples;
  const double more = std::max(a, b) * samples;
  if (both - more >= more) return false;
  // P(X >= k) of the binomial distribution with n and 1/2 is I(k, n - k + 1; 1/2).
  return 2 * incomplete_beta(more, both - more + 1, 0.5, 0.5) <= 0.05;
}

std::optional<std::uint64_t> samples_still_needed(double a, double b, double samples) {
  if (shares_differ(a, b, samples)) return 0;
  const double difference = a - b;
  const double root = kTwoSided95 * std::sqrt(a + b) + kOneSided80 * std::sqrt(spread(a, b));
  const double needed = root * root / (difference * difference);
  if (!(needed < kMostSamples)) return std::nullopt;
  return static_cast<std::uint64_t>(std::ceil(std::max(1.0, needed - samples)));
}

}  // namespace tacho
