// What a cache of the core's own holds at once.
#pragma once

#include <cstddef>
#include <vector>

#include "latency/chase/kernels.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/route.hpp"
#include "latency/inference/latency.hpp"

namespace tacho::chase {

struct CacheToFill {
  Timer timer = Timer::ticks;
  Access access = Access::load;
  std::size_t line_bytes = 64;
  Pages pages = Pages::small;
  std::size_t about_bytes = 0;   // that it holds; it may be half of that, or twice
  std::size_t before_bytes = 0;  // that the cache before it holds: less than a sixth
  std::size_t most_bytes = 0;    // of memory, to fill it with
};

// Fills it five times, on other pages each time: see fill(). Fewer where there is less memory, and
// where it did not get full within a second: neighbours use it, or it is no such cache.
std::vector<HeldLines> fillings(const CacheToFill& cache, const Stop& stop);

}  // namespace tacho::chase
