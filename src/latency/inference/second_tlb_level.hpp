// The second level of the TLB, from repeated lists, whose pages show the same memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "latency/inference/results.hpp"

namespace tacho {

// In cycles of `core_hz`. None if too few such lists are undisturbed, or if they show no end of the
// level. `sizes` has one entry for each of `samples`. `caches` gives the latency of a packed list
// of so many bytes, without the TLB.
std::optional<TlbTier> second_tlb_level(std::span<const LatencySample> samples,
                                        std::span<const SizeLatency> sizes, double core_hz,
                                        const TlbTier& first,
                                        const std::function<double(std::uint64_t bytes)>& caches);

}  // namespace tacho
