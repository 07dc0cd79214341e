// The latency of packed lists over their size: the curve in which levels are plateaus.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho {

// One list of the curve.
struct LatencyPoint {
  std::size_t at = 0;          // in samples and sizes
  double log_bytes = 0;        // base 2
  double tlb_cycles = 0;       // expected cost of TLB misses, which was subtracted
  double tlb_most_cycles = 0;  // that the TLB may add to a load
  double cycles = 0;           // without the subtracted cost
  // The same, with the core's usual clock in place of the clock that was measured beside this list,
  // which may have been wrong.
  double usual_cycles = 0;
  bool by_blocks = false;
  double sigma = 0;
  // The part of the axis that the list represents: 1 if its neighbours are as far as usual, less if
  // they are closer, as at edges, or if the list was measured several times.
  double weight = 1;
};

struct LatencyCurve {
  std::span<const LatencySample> samples;
  std::span<const SizeLatency> sizes;
  std::vector<LatencyPoint> points;  // by rising size
};

// The curve of the undisturbed packed lists on one size of pages. Lists that are slower than longer
// ones are left out and flagged as disturbed. `sizes` has one entry for each of `samples`.
LatencyCurve latency_curve(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                           std::span<const TlbTier> tlb, double core_hz);

}  // namespace tacho
