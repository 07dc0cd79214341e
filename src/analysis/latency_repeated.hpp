// The second level of the TLB, from lists of pages that show the same memory.
#pragma once

#include <optional>
#include <span>

#include "analysis/latency.hpp"

namespace tacho {

// Whether there are enough of such lists, undisturbed, to tell.
bool tells_second_level(std::span<const SizeLatency>, const TlbTier& first);

// None where they show no end of its reach. In cycles of `core_hz`; `sizes` belong to `samples`,
// one each.
std::optional<TlbTier> second_level(std::span<const LatencySample> samples,
                                    std::span<const SizeLatency> sizes, double core_hz,
                                    const TlbTier& first);

}  // namespace tacho
