// Quantiles and medians, with 95 % intervals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/difference.hpp"
#include "stats/histogram.hpp"

namespace tacho {

// Returns the median; of an even number, the mean of the middle two. Sorts the values. `values` is
// not empty.
double median(std::vector<double>& values);

// The 95 % interval of a quantile q (0…1), for any distribution of the values. The number of values
// below the quantile is binomial; this gives the ranks of the two limits (H. A. David, H. N.
// Nagaraja, Order Statistics, 3rd ed., 7.1). For few values the interval is the whole range, which
// is less than 95 %: `sure` is then false.
struct QuantileInterval {
  std::uint64_t low = 0, high = 0;
  bool sure = false;
};
// The histogram must not be empty. If the values are not independent, `draws` is the number of
// independent values with the same information, at most the number of values (R. S. Woodruff,
// Confidence intervals for medians and other position measures, J. Am. Stat. Assoc. 47 (1952)).
QuantileInterval quantile95(const Histogram&, double q);
QuantileInterval quantile95(const Histogram&, double q, double draws);

// Returns the quantile of values in the order of their measurement; neighbours may be alike. The
// interval comes from the differences between ten stretches of the values. Its limits are infinite
// if there are too few values. `values` is not empty.
Estimated quantile95_in_order(std::span<const std::uint64_t> values, double q);

// Returns the quantile with its interval. The limits are infinite if the interval is not sure.
Estimated estimated(std::uint64_t quantile, const QuantileInterval&);

}  // namespace tacho
