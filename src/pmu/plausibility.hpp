// Whether hardware counters can be believed. Virtual machines and emulators have been seen to give
// counters that read zero, stand still, or count the impossible.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace tacho {

struct Pmu;

// What two runs of the known loop, the second twice as long, counted.
struct LoopCounts {
  std::uint64_t known_short = 0;  // instructions that the loop really takes
  std::uint64_t known_long = 0;
  std::uint64_t instructions_short = 0;
  std::uint64_t instructions_long = 0;
  std::uint64_t cycles_short = 0;
  std::uint64_t cycles_long = 0;
  bool ran = true;  // the counters had the PMU all the time
};

// Pure judgement of the counts: empty when they are plausible, else what is wrong with them.
std::string implausibility(const LoopCounts& counts);

// Counts the loop with the PMU's `instructions:u` and `cycles:u`. An error when they can't be
// opened, or when they count what can't be.
Result<LoopCounts> check_plausibility(Pmu& pmu);

}  // namespace tacho
