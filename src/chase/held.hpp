// What a cache of the core's own holds at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "chase/kernels.hpp"
#include "chase/route.hpp"

namespace tacho::chase {

struct Holder {
  Timer timer = Timer::ticks;
  Access access = Access::load;
  std::size_t line_bytes = 64;
};

// Bytes of a cache that holds more than `given` and less than the memory, and is filled with it page
// by page. None when stopped, and of a cache that the memory does not fill.
std::optional<std::size_t> held_bytes(const Holder& holder, std::span<std::byte> memory,
                                      std::size_t given, const Stop& stop);
// By which it is filled.
std::size_t piece_bytes(const Holder& holder);

}  // namespace tacho::chase
