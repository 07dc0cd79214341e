#include "stats/centred_ranks.hpp"

#include <algorithm>

namespace tacho {

std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<double> ranks;
  for (const double value : values) {
    const auto equal = std::ranges::equal_range(sorted, value);
    const auto lower = static_cast<double>(equal.begin() - sorted.begin());
    const auto higher = static_cast<double>(sorted.end() - equal.end());
    ranks.push_back((lower - higher) / 2);
  }
  return ranks;
}

}  // namespace tacho
