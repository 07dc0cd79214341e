// Several tests at once: how small a p-value must be if any of them may be a false claim.
#pragma once

#include <span>
#include <vector>

namespace tacho {

// What a test gives among the others of its family.
struct HolmTest {
  double adjusted = 1;  // p-value for the whole family, at most 1; `rejected` if at most alpha
  bool rejected = false;
  // The significance level to which the test's own p-value was compared, alpha / m to alpha. An
  // interval of the confidence 1 - level excludes the hypothesis if, and only if, it is rejected.
  double level = 0;
};

// Tests m hypotheses with these p-values, so that the probability of rejecting any true hypothesis
// is at most alpha, however the tests depend on each other: the k-th smallest p-value is compared
// with alpha / (m - k + 1), and the first that is larger ends the rejections (S. Holm, A simple
// sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979)). The hypotheses that
// are left have the level of that comparison. Returns one result for each p-value, in their order.
std::vector<HolmTest> holm(std::span<const double> p_values, double alpha = 0.05);

}  // namespace tacho
