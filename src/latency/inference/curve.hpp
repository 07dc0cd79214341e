// The latency of packed lists over their size: the curve that tiers are drawn from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "latency/inference/latency.hpp"

namespace tacho {

// One size of the curve that tiers are drawn from.
struct LatencyPoint {
  std::size_t at = 0;          // in samples and sizes
  double log_bytes = 0;        // base 2
  double tlb_cycles = 0;       // that the TLB is expected to add; taken off
  double tlb_most_cycles = 0;  // that it may add to a load
  double cycles = 0;           // without what was taken off
  // The same by the core's usual clock in place of the one that was found beside this size: where
  // that was wrong, so are the cycles.
  double usual_cycles = 0;
  bool by_blocks = false;
  double sigma = 0;
  // How much of the curve it stands for: 1 of sizes a quarter of an octave apart or more, less
  // where they are closer, as at edges, or were measured several times.
  double weight = 1;
};

struct LatencyCurve {
  std::span<const LatencySample> samples;
  std::span<const SizeLatency> sizes;
  std::vector<LatencyPoint> points;  // by rising size
};

// Of the undisturbed packed sizes on one size of pages. Those that are slower than longer lists are
// left out and flagged as disturbed. `sizes` belong to `samples`, one each.
LatencyCurve latency_curve(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                           std::span<const TlbTier> tlb, double core_hz);

}  // namespace tacho
