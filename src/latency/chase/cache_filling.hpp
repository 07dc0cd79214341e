// Fills a cache of the core's own with pages, to see how much it holds at once.
#pragma once

#include <cstddef>
#include <vector>

#include "latency/chase/kernels.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/route.hpp"
#include "latency/inference/samples.hpp"

namespace tacho::chase {

struct CacheToFill {
  unsigned number = 0;  // copied into the results
  Timer timer = Timer::ticks;
  Access access = Access::load;
  std::size_t line_bytes = 64;
  Pages pages = Pages::small;
  std::size_t expected_bytes = 0;  // its capacity; it may be half as large, or twice
  std::size_t before_bytes = 0;    // capacity of the cache before it: less than a sixth of its own
  std::size_t most_bytes = 0;      // of memory to fill it with
};

// Fills it several times, on different pages: see fill_level(). There are fewer results if there is
// less memory, and if a filling took too long: then neighbours use the cache, or there is no such
// cache.
std::vector<CacheFill> fill_cache(const CacheToFill& cache, const Stop& stop);

}  // namespace tacho::chase
