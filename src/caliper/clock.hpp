// The clock at the edges of a region: fenced on the region's side, so that nothing of it happens
// before its begin or after its end, and on the other side where something could be taken for a
// part of it.
#pragma once

#include <cstdint>

#include "tacho/ticks.hpp"

namespace tacho::caliper {

// The last thing at a begin. After a system call, which costs a hundred times what fences order,
// none is worth its time.
[[gnu::always_inline]] inline std::uint64_t begin_ticks([[maybe_unused]] bool after_call) noexcept {
#if defined(__x86_64__) || defined(__i386__)
  if (after_call) return ticks();
#endif
  return ordered_ticks();
}

// The first thing at an end. What comes after is not measured, and may begin meanwhile.
[[gnu::always_inline]] inline std::uint64_t end_ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_lfence();
  return ticks();
#else
  return ordered_ticks();
#endif
}

}  // namespace tacho::caliper
