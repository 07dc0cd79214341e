// The TLB: what pages cost beside lines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "latency/inference/latency.hpp"

namespace tacho {

// From lists with one line a page, each held against the packed list of as many lines: what they
// cost more is the TLB's, not the caches'. One entry a level and page size, first level first; in
// cycles of `core_hz`, the usual clock of the core. Sets the sizes' tlb_page_bytes: a hypervisor
// may have made huge pages of small ones, and a TLB then holds the small ones. The sizes belong to
// `samples`, one each.
std::vector<TlbTier> find_tlb(std::span<const LatencySample> samples, std::span<SizeLatency>,
                              double core_hz);

// Names levels after those that are advertised, and tells how many entries they are said to have.
// Warns where the two differ by more than 25 %, and of levels that `sizes` should have shown.
void name_tlb(std::vector<TlbTier>&, std::span<const AdvertisedTlb>,
              std::span<const SizeLatency> sizes, std::vector<std::string>& warnings);

// What the TLB is expected to add to a load of a packed list, on average. Its loads visit the pages
// at random, not in a cycle, so that a TLB of E entries holds the share E / pages of them.
double tlb_cycles(std::span<const TlbTier>, const SizeLatency&);

// What it adds to a load that misses in all levels that are too small for the list.
double tlb_most_cycles(std::span<const TlbTier>, const SizeLatency&);

}  // namespace tacho
