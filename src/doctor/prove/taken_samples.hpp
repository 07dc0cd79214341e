// Samples of the calling thread while it works, as values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "doctor/prove/bench.hpp"
#include "perfdata/record.hpp"

namespace tacho::prove {

struct TakenSample {
  std::uint64_t ip = 0;
  std::uint64_t period = 0;
  std::vector<perfdata::Branch> branches;
};

struct Taken {
  std::vector<TakenSample> samples;
  std::uint64_t lost = 0;       // records that found no room in the buffer
  std::uint64_t throttled = 0;  // times that the kernel stopped sampling for a while
  double cpu_s = 0;             // CPU time of the thread meanwhile
  // Of it, by how much single slices took longer than most do: a hypervisor that does not say so
  // had the CPU.
  double interrupted_s = 0;
};

// Opens the sampler on the calling thread, stopped.
Result<std::unique_ptr<Sampler>> open_sampler(const Bench& bench, const Event& event,
                                              const SampleSpec& spec);

// Calls `slice` until the thread has used `seconds` of CPU time, and takes the samples meanwhile.
// Drains and dithers as often as `tacho record` does.
Result<Taken> take_samples(Sampler& sampler, const SampleSpec& spec, double seconds,
                           const std::function<void()>& slice);

}  // namespace tacho::prove
