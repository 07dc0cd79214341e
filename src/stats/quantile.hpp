// Quantiles, and how sure they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/difference.hpp"
#include "stats/histogram.hpp"

namespace tacho {

// Of values that are not empty; sorts them.
double median(std::vector<double>& values);

// The 95 % interval of the quantile q (0…1), whatever the values' distribution: the two values
// counted between whose ranks it lies, by the binomial distribution of how many values lie below it
// (H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., 7.1). Of few values it is the whole
// range, which is then less sure than 95 %: `sure` says whether it is.
struct QuantileInterval {
  std::uint64_t low = 0, high = 0;
  bool sure = false;
};
// Not of an empty histogram. Values that are not independent of each other tell as much as so many
// `draws` that are, at most as many as there are (R. S. Woodruff, Confidence intervals for medians
// and other position measures, J. Am. Stat. Assoc. 47 (1952)).
QuantileInterval quantile95(const Histogram&, double q);
QuantileInterval quantile95(const Histogram&, double q, double draws);

// The quantile of values in the order in which they were measured, where neighbours may be alike:
// the interval goes by how ten stretches of them differ. Its limits are infinite where so few
// values do not tell it. Not of none.
Estimated quantile95_in_order(std::span<const std::uint64_t> values, double q);

// A quantile with its interval, which is infinite where it is not sure.
Estimated estimated(std::uint64_t quantile, const QuantileInterval&);

}  // namespace tacho
