#include "stats/paired_changes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tacho {

std::vector<PairedTest> test_pairs(std::span<const std::vector<double>> metrics, double alpha) {
  std::vector<PairedTest> tests;
  std::vector<std::size_t> family;  // indices of those that can make a claim
  std::vector<double> p_values;
  for (const std::vector<double>& differences : metrics) {
    tests.push_back({signed_rank(differences, alpha), {1, false, alpha}, true});
    if (std::ranges::all_of(differences, [](double d) { return d == 0; })) continue;
    family.push_back(tests.size() - 1);
    p_values.push_back(tests.back().change.p);
  }
  const std::vector<HolmTest> results = holm(p_values, alpha);
  for (std::size_t i = 0; i < family.size(); ++i)
    tests[family[i]] = {signed_rank(metrics[family[i]], results[i].level), results[i], true};
  for (PairedTest& each : tests)
    each.has_enough_pairs = std::isfinite(each.change.high - each.change.low);
  return tests;
}

std::size_t fewest_pairs(std::size_t metrics, double alpha) {
  const double needed = 2 * static_cast<double>(std::max<std::size_t>(metrics, 1)) / alpha;
  return static_cast<std::size_t>(std::ceil(std::log2(needed)));
}

}  // namespace tacho
