// The same moment on the clock that ticks() reads and on a clock of the kernel.
#pragma once

#include <time.h>

#include <cstdint>

#include "tacho/ticks.hpp"

namespace tacho::caliper {

inline std::uint64_t nanoseconds_of(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct BothClocks {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;
  std::uint64_t error_ns = ~std::uint64_t{0};  // width of the interval that contains `ns`
};

// Reads both clocks a few times, because an interrupt can come between the readings. Returns the
// closest readings.
inline BothClocks read_both_clocks(clockid_t clock) noexcept {
  BothClocks best;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = nanoseconds_of(clock);
    const std::uint64_t now = ordered_ticks();
    const std::uint64_t after = nanoseconds_of(clock);
    if (after - before < best.error_ns)
      best = {.ticks = now, .ns = before + (after - before) / 2, .error_ns = after - before};
  }
  return best;
}

}  // namespace tacho::caliper
