// not_branches KIND COUNT: `count` rounds of a loop, of one branch each, around instructions that
// Valgrind gives ways out though they are no branches. KIND: locked (two that load and store each),
// swapped (one that compares first) or repeated (a string instruction that goes over 10 bytes).
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  [[maybe_unused]] const std::string_view kind = argv[1];
  [[maybe_unused]] long left = std::atol(argv[2]);
#if defined(__x86_64__)
  static long word;
  static char from[16], to[16];
  if (kind == "locked")
    asm volatile("1: lock incq %1; xchg %%rax, %1; dec %0; jnz 1b"
                 : "+r"(left), "+m"(word)::"rax", "cc");
  if (kind == "swapped")
    asm volatile("1: lock cmpxchg %%rdx, %1; dec %0; jnz 1b"
                 : "+r"(left), "+m"(word)::"rax", "rdx", "cc");
  if (kind == "repeated")
    asm volatile("1: mov $10, %%ecx; lea %1, %%rsi; lea %2, %%rdi; rep movsb; dec %0; jnz 1b"
                 : "+r"(left), "+m"(from), "+m"(to)::"rcx", "rsi", "rdi", "cc", "memory");
#endif
}
