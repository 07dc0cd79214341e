// Which lists to measure again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "latency/chase/memory.hpp"
#include "latency/inference/results.hpp"

namespace tacho::chase {

// Lines of the packed lists on such pages with at most `most` lines: those that caches of the
// core's own may decide. By rising size.
std::vector<std::size_t> own_cache_lists(std::span<const LatencySample> samples, Pages pages,
                                         std::size_t most);

// Pages of the spread lists that are disturbed in all samples, and of those near the end of a TLB
// level that such lists show: a neighbour on the core takes a part of its TLB, too.
std::vector<std::size_t> doubtful_tlb_lists(const LatencyInference& found);

}  // namespace tacho::chase
