// The second level of the TLB, from lists of pages that show the same memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "latency/inference/latency.hpp"

namespace tacho {

// None where there are too few such lists undisturbed, and where they show no end of its reach. In
// cycles of `core_hz`; `sizes` belong to `samples`, one each. `caches` tells what a load of a
// packed list of so many bytes costs, without the TLB.
std::optional<TlbTier> second_level(std::span<const LatencySample> samples,
                                    std::span<const SizeLatency> sizes, double core_hz,
                                    const TlbTier& first,
                                    const std::function<double(std::uint64_t bytes)>& caches);

}  // namespace tacho
