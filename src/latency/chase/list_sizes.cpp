#include "latency/chase/list_sizes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "latency/inference/rules.hpp"

namespace tacho::chase {
namespace {

std::size_t rounded(double value, std::size_t unit) {
  const double units = std::round(value / static_cast<double>(unit));
  return static_cast<std::size_t>(std::max(units, 1.0)) * unit;
}

}  // namespace

std::vector<std::size_t> sizes_between(std::size_t least, std::size_t most, unsigned an_octave,
                                       std::size_t unit) {
  std::vector<std::size_t> sizes;
  for (unsigned i = 0;; ++i) {
    const double size = static_cast<double>(least) * std::exp2(static_cast<double>(i) / an_octave);
    if (size >= static_cast<double>(most)) break;
    const std::size_t whole = rounded(size, unit);
    if (sizes.empty() || whole > sizes.back()) sizes.push_back(whole);
  }
  const std::size_t last = std::max(most / unit, std::size_t{1}) * unit;
  if (sizes.empty() || last > sizes.back()) sizes.push_back(last);
  return sizes;
}

std::size_t default_most(std::size_t last_level, std::size_t free) {
  constexpr std::size_t kLeast = kLatencyRules.survey.least_most_bytes;
  constexpr std::size_t kMost = kLatencyRules.survey.most_most_bytes;
  const std::size_t wanted =
      std::clamp(std::bit_ceil(std::min(2 * last_level, kMost)), kLeast, kMost);
  return std::min(wanted, free / 4);
}

}  // namespace tacho::chase
