// Tiers: the levels of the memory hierarchy, from the latency of packed lists over their size.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho {

// `sizes` has one entry for each of `samples`; `core_hz` is the usual clock of the core. Lists that
// are slower than longer ones are flagged as disturbed. A tier whose cache was filled has the
// capacity that it held. Warns if there are too few lists, and if an effective capacity differs
// from the advertised one.
std::vector<Tier> find_tiers(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                             std::span<const TlbTier> tlb, std::span<const CacheFill> fills,
                             const Advertised&, double core_hz, std::vector<std::string>& warnings);

}  // namespace tacho
