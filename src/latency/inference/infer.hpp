// Latency inference: from histograms of timed loads to the latency and the capacity of each level
// of the memory hierarchy. docs/explanation/latency-inference.md describes the method.
#pragma once

#include <span>

#include "latency/inference/results.hpp"

namespace tacho {

// Requires tick_hz > 0. A sample without singles and blocks gets no latency, and is flagged as
// disturbed. A filled cache has the capacity that it held; the capacity of other levels follows
// from the latency over the size.
LatencyInference infer_latency(std::span<const LatencySample>, const Advertised&, double tick_hz,
                               std::span<const CacheFill> = {});

}  // namespace tacho
