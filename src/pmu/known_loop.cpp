#include "pmu/known_loop.hpp"

namespace tacho {

std::uint64_t run_known_loop(std::uint32_t iterations) {
  if (iterations == 0) return 0;
#if defined(__x86_64__) || defined(__i386__)
  std::uintptr_t left = iterations;  // as wide as a register
  // Two instructions an iteration; dec and jnz may fuse into one operation but retire as two.
  asm volatile(
      "1:\n\t"
      "dec %0\n\t"
      "jnz 1b"
      : "+r"(left)
      :
      : "cc");
#elif defined(__aarch64__) || defined(__arm__)
  std::uintptr_t left = iterations;  // as wide as a register
  asm volatile(
      "1:\n\t"
      "subs %0, %0, #1\n\t"
      "bne 1b"
      : "+r"(left)
      :
      : "cc");
#else
  for (std::uint32_t left = iterations; left != 0; --left) asm volatile("" : "+r"(left));
#endif
  return 2 * std::uint64_t{iterations};
}

}  // namespace tacho
