#include "stats/holm.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tacho {

std::vector<HolmTest> holm(std::span<const double> p_values, double alpha) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<HolmTest> tests(p_values.size());
  double adjusted = 0, level = 0;
  bool rejecting = true;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto left = static_cast<double>(order.size() - k);
    const double p = p_values[order[k]];
    if (rejecting) level = alpha / left;
    rejecting = rejecting && p <= level;
    adjusted = std::max(adjusted, std::min(1.0, p * left));
    tests[order[k]] = {adjusted, rejecting, level};
  }
  return tests;
}

}  // namespace tacho
