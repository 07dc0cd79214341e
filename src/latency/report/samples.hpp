// `tacho latency --samples`: the histograms of all lists, as CSV.
#pragma once

#include <string>

#include "latency/report/report.hpp"

namespace tacho {

// One row for each time of each list, in cycles without the bias, and how often it was measured.
std::string latency_samples(const LatencyReport&);

}  // namespace tacho
