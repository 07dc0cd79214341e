// Checks that samples times their periods make the count, at 99 and 4,000 Hz.
#pragma once

#include <cstdint>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

struct SampledSum {
  std::uint64_t samples = 0;
  double weight = 0;   // the sum of their periods
  double counted = 0;  // by a counter beside, or the CPU time of a clock
  double stolen = 0;   // of it, by the hypervisor: a clock takes no samples then
  std::string_view unit;
};
Proof judge_sampling(const SampledSum& sum);

Proof prove_sampling_slowly(const Bench& bench);  // 99 Hz
Proof prove_sampling_fast(const Bench& bench);    // 4,000 Hz

}  // namespace tacho::prove
