// How far to trust a measurement: one word and the reasons, the most serious first.
#pragma once

#include <string>
#include <vector>

#include "latency/report/report.hpp"

namespace tacho {

struct Confidence {
  std::string word;  // "good", "fair", "poor", "none"; "simulated" for a simulation without doubts
  std::vector<std::string> reasons;
};
Confidence trust(const LatencyReport&);

}  // namespace tacho
