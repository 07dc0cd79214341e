// How sure a quantile of independent values is.
#pragma once

#include <cstdint>

#include "stats/histogram.hpp"

namespace tacho {

// The 95 % interval of the quantile q (0…1), whatever the values' distribution: the two values
// counted between whose ranks it lies, by the binomial distribution of how many values lie below it
// (H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., 7.1). Of few values it is the whole
// range, which is then less sure than 95 %: `sure` says whether it is.
struct QuantileInterval {
  std::uint64_t low = 0, high = 0;
  bool sure = false;
};
// Not of an empty histogram.
QuantileInterval quantile95(const Histogram&, double q);

}  // namespace tacho
