// Samples a simulated core, in the format of the kernel's records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pmu/sampler.hpp"
#include "simulation/tally.hpp"

namespace tacho {

// An event to be sampled.
struct SimulatedSampling {
  OpenedEvent event;
  std::vector<std::string_view> columns;  // whose counts add up to the event's
  double scale = 1;                       // nanoseconds of one count, for a clock
};

// The simulator's input with the events to sample (docs/explanation/simulator.md).
std::string to_sampling_input(std::span<const SimulatedSampling> events, const SampleSpec& spec);

// A sampler of the slices that the tally reads. Its records have the format of the events'
// attributes.
std::unique_ptr<Sampler> simulated_sampler(std::shared_ptr<Tally> tally,
                                           std::span<const SimulatedSampling> events,
                                           const SampleSpec& spec);

}  // namespace tacho
