// The changes of several metrics in pairs of runs: which of them are significant, and how large.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/holm.hpp"
#include "stats/signed_rank.hpp"

namespace tacho {

struct PairedTest {
  SignedRank change;  // its interval has the confidence 1 - test.level
  HolmTest test;
  // False: so few pairs cannot be significant at this level. The interval is then infinite.
  bool has_enough_pairs = true;
};

// Tests the metrics of one family together. Each has the differences of its pairs, at least one.
// If nothing changed, any metric is significant in at most the share alpha of all cases. An
// interval excludes 0 if, and only if, the change is significant.
//
// A metric without a difference in any pair can make no claim. So the others need not share alpha
// with it (R. E. Tarone, A modified Bonferroni method for discrete data, Biometrics 46 (1990)).
std::vector<PairedTest> test_pairs(std::span<const std::vector<double>> metrics,
                                   double alpha = 0.05);

// The smallest number of pairs with which the least of so many p-values can be significant.
std::size_t fewest_pairs(std::size_t metrics, double alpha = 0.05);

}  // namespace tacho
