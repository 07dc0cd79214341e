// A loop whose instruction count is known: the yardstick that counters are held against.
#pragma once

#include <cstdint>

namespace tacho {

// Runs a loop and returns how many user-mode instructions it took, exact but for the call around
// it (a few dozen). On architectures without hand-written code, a lower bound.
std::uint64_t run_known_loop(std::uint32_t iterations);

}  // namespace tacho
