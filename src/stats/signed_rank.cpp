// Never stores the averages of two differences. In sorted differences, the averages at or below a
// value are counted in one pass, so a quantile of them is found by bisection.
#include "stats/signed_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/rank_distribution.hpp"

namespace tacho {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double average(double a, double b) {
  return a == -b ? 0 : std::midpoint(a, b);
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::ranges::sort(result);
  return result;
}

// Number of averages of two values, or of one with itself, that are at most x.
std::uint64_t averages_at_most(double x, std::span<const double> sorted) {
  std::uint64_t count = 0;
  std::size_t end = sorted.size();  // the average of sorted[i] with each value before it is <= x
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && average(sorted[i], sorted[end - 1]) > x) --end;
    count += end - i;
  }
  return count;
}

// Integers in the order of the doubles from -infinity to infinity, and back.
std::int64_t place_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}
double at_place(std::int64_t place) {
  return std::bit_cast<double>(place < 0 ? std::numeric_limits<std::int64_t>::min() - place
                                         : place);
}

// Returns the k-th smallest average (k from 1): the smallest number that k averages do not exceed.
// 64 passes at most, whatever the values.
double kth_average(std::uint64_t k, std::span<const double> sorted) {
  std::int64_t low = place_of(sorted.front()), high = place_of(sorted.back());
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);
    if (averages_at_most(at_place(middle), sorted) >= k)
      high = middle;
    else
      low = middle + 1;
  }
  return at_place(low);
}

double p_value(std::span<const double> sorted, const RankDistribution& w) {
  const std::uint64_t not_above = averages_at_most(0, sorted);
  const std::uint64_t below = averages_at_most(std::nextafter(0.0, -kInfinity), sorted);
  return std::min(1.0, 2 * w.at_most(std::min(not_above, w.largest() - below)));
}

}  // namespace

SignedRank signed_rank(std::span<const double> differences, double level) {
  const std::vector<double> values = sorted(differences);
  const auto w = RankDistribution::signed_ranks(values.size());
  const std::uint64_t averages = w.largest();
  SignedRank result{.low = -kInfinity, .high = kInfinity, .p = p_value(values, w)};
  result.estimate =
      average(kth_average((averages + 1) / 2, values), kth_average(averages / 2 + 1, values));
  if (const std::uint64_t k = w.limit_rank(level); k > 0) {
    result.low = kth_average(k, values);
    result.high = kth_average(averages + 1 - k, values);
  }
  return result;
}

}  // namespace tacho
