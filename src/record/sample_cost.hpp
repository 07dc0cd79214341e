// What sampling costs the program that is sampled.
#pragma once

#include <optional>
#include <span>

#include "events/event.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// Nanoseconds that a thread misses while it is sampled once, as these events are: the median of
// what a loop of this thread misses that does nothing but read the clock, within a few
// milliseconds. Its stack is short and its caches are warm, so that it is rather the least. None
// where the loop is sampled too seldom to tell: page faults never happen in it.
std::optional<double> sample_cost_ns(Pmu& pmu, std::span<const EventGroup> groups, SampleSpec spec);

}  // namespace tacho
