// Which lists to measure once more.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "latency/chase/memory.hpp"
#include "latency/chase/sampler.hpp"
#include "latency/inference/latency.hpp"

namespace tacho::chase {

// Lines of packed lists on such pages, of `most` lines or fewer: those that a core's own caches may
// decide.
std::vector<std::size_t> own_sizes(std::span<const SizeRun> runs, Pages pages, std::size_t most);

// Numbers of pages of which no spread list was had undisturbed, and those near a reach that such
// lists tell: a neighbour on the core takes a part of its TLB, too.
std::vector<std::size_t> doubtful_translations(const LatencyInference& found);

}  // namespace tacho::chase
