// The clock at the begin and the end of a region. A fence on the region's side keeps its
// instructions inside. A fence on the other side keeps instructions of other code outside, where
// they could otherwise count as a part of the region.
#pragma once

#include <cstdint>

#include "tacho/ticks.hpp"

namespace tacho::caliper {

// Call it last in a begin. After a system call it needs no fence: the call takes a hundred times
// longer than the instructions that a fence would order.
[[gnu::always_inline]] inline std::uint64_t begin_ticks([[maybe_unused]] bool after_call) noexcept {
#if defined(__x86_64__) || defined(__i386__)
  if (after_call) return ticks();
#endif
  return ordered_ticks();
}

// Call it first in an end. Later instructions are not measured, so the processor may start them
// early.
[[gnu::always_inline]] inline std::uint64_t end_ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  detail::fence();
  return ticks();
#else
  return ordered_ticks();
#endif
}

}  // namespace tacho::caliper
