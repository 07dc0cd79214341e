// Measures the time that each sample takes from the sampled program.
#pragma once

#include <optional>
#include <span>

#include "events/event.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// Returns the nanoseconds that one sample of these events takes from a thread. It is the median of
// the longest gaps in a loop that only reads the clock, as many as there were samples in 4 ms. The
// stack of the loop is short and its caches are warm, so other code loses rather more. Returns
// nullopt if too few samples hit the loop: for instance, it has no page faults.
std::optional<double> sample_cost_ns(Pmu& pmu, std::span<const EventGroup> groups, SampleSpec spec);

}  // namespace tacho
