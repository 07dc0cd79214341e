// The latency of one list: the location of its timed loads, without the bias of the clock.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho {

inline constexpr std::string_view kCoreShared = "another thread used the core";

// The bias of one sample, in ticks.
struct Bias {
  double ticks = 0;
  double ci95 = 0;  // half-width
};

// The bias of each sample, in the samples' order. A sample without a bias of its own gets the
// median of the others, and half of their range as its uncertainty. If none has one, it is 0, with
// a warning.
struct Biases {
  std::vector<Bias> of_samples;
  BiasFound found;
};
Biases find_biases(std::span<const LatencySample>, std::vector<std::string>& warnings);

// The interval of the latency has the uncertainty of the timed loads and that of the bias.
SizeLatency size_latency(const LatencySample&, const Bias&, double tick_hz);

// What a reader of a list should know, from `disturbed`, `core_shared` and an `other_levels_share`
// of a tenth or more. Empty: nothing.
std::string remark(const SizeLatency&);

// Whether only the time of all loads together is known, because the clock steps too far to tell
// single loads apart, and they take longer than one step.
bool is_mixture(const LatencySample&, const SizeLatency&);

// Factor from the cycles of a list to cycles of the core's usual clock. Slow loads wait for parts
// with a clock of their own: if the core's clock moves between two lists, their time stays and
// their cycles change. Fast loads keep their cycles.
double to_usual_clock(const SizeLatency&, double core_hz);

// Latency of a load according to the blocks, whatever the list's own latency comes from. None
// without blocks.
std::optional<double> block_cycles(const LatencySample&, double bias_ticks);

}  // namespace tacho
