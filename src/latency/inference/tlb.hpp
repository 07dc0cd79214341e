// The TLB: what pages cost, compared with lines side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho {

// The levels of the TLB for each page size, first level first, in cycles of `core_hz`, the usual
// clock of the core. A list with one line on each page is compared with the packed list of as many
// lines: the difference is the TLB's cost, not the caches'. Sets the sizes' tlb_page_bytes: a
// hypervisor may back huge pages with small ones, and then the TLB holds the small ones. `sizes`
// has one entry for each of `samples`.
std::vector<TlbTier> find_tlb(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                              double core_hz);

// The cost that the TLB is expected to add to a load of a packed list, on average. Its loads visit
// the pages at random, not in a cycle: a TLB of E entries holds the share E / pages of them.
double tlb_cycles(std::span<const TlbTier>, const SizeLatency&);

// The cost that it adds to a load that misses in all levels that are too small for the list.
double tlb_most_cycles(std::span<const TlbTier>, const SizeLatency&);

}  // namespace tacho
