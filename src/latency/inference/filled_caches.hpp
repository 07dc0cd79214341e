// The capacities of caches that were filled page by page.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho {

struct FilledCapacity {
  double bytes = 0;
  Interval interval;
  double hit_cycles = 0;
};

// One for each cache that was filled often enough, by rising number.
std::vector<FilledCapacity> filled_capacities(std::span<const CacheFill>);

// The index of the level that was filled, among levels with these latencies in cycles. None if no
// latency is near that of the filled cache.
std::optional<std::size_t> filled_level(const FilledCapacity&, std::span<const double> cycles);

}  // namespace tacho
