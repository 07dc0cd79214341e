// What a cache of the core's own holds at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/latency.hpp"
#include "chase/kernels.hpp"
#include "chase/route.hpp"

namespace tacho::chase {

struct Holder {
  Timer timer = Timer::ticks;
  Access access = Access::load;
  std::size_t line_bytes = 64;
};

// What a cache holds that is filled with memory, page by page, and holds more than `given` bytes
// and less than the memory. None when stopped, and of a cache that the memory does not fill.
std::optional<HeldLines> held_lines(const Holder& holder, std::span<std::byte> memory,
                                    std::size_t given, const Stop& stop);

}  // namespace tacho::chase
