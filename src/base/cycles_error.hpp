// How far the cycles of a simulated processor are from those of the real one.
#pragma once

#include <string>

namespace tacho {

struct CyclesError {
  double mean_percent = 0;  // mean of |simulated - measured| / measured
  std::string of;           // what was measured: "312 blocks of code without misses"
};

}  // namespace tacho
