// Loops with known work, against which counters are checked.
#pragma once

#include <cstdint>

namespace tacho {

// The work of one iteration in user mode. The call of a loop adds a few dozen instructions.
inline constexpr std::uint64_t kLoopInstructions = 2;  // exact if kLoopIsExact
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__)
inline constexpr bool kLoopIsExact = true;
#else
inline constexpr bool kLoopIsExact =
    false;  // no assembly code for this architecture: a lower bound
#endif
inline constexpr std::uint64_t kLoopBranches = 1;  // taken, except for the last one
void run_known_loop(std::uint32_t iterations);

inline constexpr std::uint64_t kLoopLoads = 1;
inline constexpr std::uint64_t kLoopStores = 1;
void run_known_accesses(std::uint32_t iterations);

inline constexpr std::uint64_t kLoopLines = 256;  // lines of 64 bytes of code, or more
void run_known_code(std::uint32_t iterations);

}  // namespace tacho
