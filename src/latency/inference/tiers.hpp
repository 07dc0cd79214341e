// Tiers: the levels of the memory hierarchy, from the latency of packed lists over their size.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "latency/inference/latency.hpp"

namespace tacho {

// `sizes` belong to `samples`, one each; `core_hz` is the usual clock of the core. Sizes that stand
// out of both their neighbours' levels are flagged as disturbed. Warnings tell of too few sizes,
// and where the effective capacity is not the advertised one. A tier that was filled (`held`) has
// the capacity that it held.
std::vector<Tier> find_tiers(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                             std::span<const TlbTier> tlb, std::span<const HeldLines> held,
                             const Advertised&, double core_hz, std::vector<std::string>& warnings);

// Names the tiers after the advertised caches, and says where the two differ. `largest` is the
// greatest of the sizes measured, `smallest` the least.
void name_tiers(std::vector<Tier>& tiers, const Advertised&, double smallest, double largest,
                std::vector<std::string>& warnings);

}  // namespace tacho
