// Samples of a simulated core, in the records that the kernel would write.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pmu/sampler.hpp"
#include "simulation/tally.hpp"

namespace tacho {

// One event to be sampled.
struct SimulatedSampling {
  OpenedEvent event;
  std::vector<std::string_view> columns;  // whose counts add up to the event's
  double scale = 1;                       // what one of these is worth, for a clock in nanoseconds
};

// What the simulator is told to sample (docs/explanation/simulator.md).
std::string to_sampling_input(std::span<const SimulatedSampling> events, const SampleSpec& spec);

// Hands over what the tally comes by. The events' attributes are what its records follow.
std::unique_ptr<Sampler> simulated_sampler(std::shared_ptr<Tally> tally,
                                           std::span<const SimulatedSampling> events,
                                           const SampleSpec& spec);

}  // namespace tacho
