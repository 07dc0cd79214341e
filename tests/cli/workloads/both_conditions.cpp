// both_conditions N: N times around a loop with a condition of two parts, `a && b`, of which the
// first is false, so that the second is never looked at. A turn is four instructions.
#include <cstdlib>

int main(int argc, char** argv) {
  unsigned long turns = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
#if defined(__x86_64__)
  asm volatile(
      "1: test %0, %0\n"  // a: no turns left, never true here
      "jnz 2f\n"
      "cmp $7, %1\n"  // b, to the same place when false
      "jne 2f\n"
      "nop\n"
      "2: dec %0\n"
      "jnz 1b\n"
      : "+r"(turns)
      : "r"(0UL)
      : "cc");
  return 0;
#else
  return turns != 0 ? 77 : 0;  // known by hand on x86-64 only
#endif
}
