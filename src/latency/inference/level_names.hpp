// Names of levels, and how they compare with the advertised caches and TLBs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho {

// Names the tiers after the advertised caches and sets their kinds. Warns if the two differ, and
// about caches that show no tier. `smallest` and `largest` are the bytes of the smallest and the
// largest list.
void name_tiers(std::vector<Tier>& tiers, const Advertised&, double smallest, double largest,
                std::vector<std::string>& warnings);

// Names the levels of the TLB after the advertised ones, and sets the advertised entries. Warns if
// the two differ by more than 25 %, and about levels that `sizes` should have shown.
void name_tlb(std::vector<TlbTier>&, std::span<const AdvertisedTlb>,
              std::span<const SizeLatency> sizes, std::vector<std::string>& warnings);

}  // namespace tacho
