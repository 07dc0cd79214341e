#include "pmu/known_loop.hpp"

namespace tacho {

std::uint64_t run_known_loop(std::uint64_t iterations) {
  if (iterations == 0) return 0;
#if defined(__x86_64__) || defined(__i386__)
  auto left = static_cast<std::uintptr_t>(iterations);
  // Two instructions an iteration; dec and jnz may fuse into one operation but retire as two.
  asm volatile(
      "1:\n\t"
      "dec %0\n\t"
      "jnz 1b"
      : "+r"(left)
      :
      : "cc");
#elif defined(__aarch64__) || defined(__arm__)
  auto left = static_cast<std::uintptr_t>(iterations);
  asm volatile(
      "1:\n\t"
      "subs %0, %0, #1\n\t"
      "bne 1b"
      : "+r"(left)
      :
      : "cc");
#else
  for (std::uint64_t left = iterations; left != 0; --left) asm volatile("" : "+r"(left));
#endif
  return 2 * iterations;
}

}  // namespace tacho
