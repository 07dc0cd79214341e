// One size: where its timed loads lie once the clock's own cost is taken off.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "latency/inference/latency.hpp"

namespace tacho {

// The bias of each sample, in ticks and in the samples' order: measured in place; where it was not,
// the median of those that were; where none was, 0 with a warning.
struct Biases {
  std::vector<double> ticks;
  BiasFound found;
};
Biases find_biases(std::span<const LatencySample>, std::vector<std::string>& warnings);

SizeLatency size_latency(const LatencySample&, double bias_ticks, double tick_hz);

// Whether all that is known of a size is what its loads take together, for its clock steps too far
// for single loads to be told apart, and they take longer than one step.
bool is_mixture(const LatencySample&, const SizeLatency&);

// The cycles of a size times this are those of the core's usual clock. Slow loads wait for what has
// a clock of its own: when the core's clock moves between sizes, their time stays and their cycles
// do not. Fast ones keep their cycles.
double to_usual_clock(const SizeLatency&, double core_hz);

// What a load costs by the blocks, whatever its size; none without blocks.
std::optional<double> block_cycles(const LatencySample&, double bias_ticks);

}  // namespace tacho
