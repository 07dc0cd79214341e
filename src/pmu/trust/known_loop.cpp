#include "pmu/trust/known_loop.hpp"

#include <array>
#include <cstddef>

namespace tacho {
namespace {

// 16 KiB of code without a jump. That is more operations than any loop buffer or cache of decoded
// operations can hold, so they are fetched from the instruction cache each time. The code has a
// function of its own: the compiler does not know its length and could jump over it with a branch
// that is too short.
[[gnu::noinline]] void walk_code() {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile(".rept 16384\n\tnop\n\t.endr");  // of one byte
#else
  asm volatile(".rept 8192\n\tnop\n\t.endr");  // of two bytes or four
#endif
}

}  // namespace

void run_known_loop(std::uint32_t iterations) {
  if (iterations == 0) return;
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
}

// Each load and each store goes to a different line than the one before. So none is merged with a
// neighbour, forwarded, or served without the cache. All lines fit into any first-level cache.
void run_known_accesses(std::uint32_t iterations) {
  if (iterations == 0) return;
  constexpr std::size_t kHalfBytes = 4'096;  // 64 lines to load from, then 64 to store to
  std::array<unsigned char, 2 * kHalfBytes> lines{};
#if defined(__x86_64__) || defined(__i386__)
  std::uintptr_t left = iterations;  // as wide as a register
  std::uintptr_t at = 0;
  unsigned char byte = 0;
  asm volatile(
      "1:\n\t"
      "mov %[left], %[at]\n\t"
      "and $63, %[at]\n\t"
      "shl $6, %[at]\n\t"
      "movb (%[lines],%[at]), %[byte]\n\t"
      "movb %[byte], %c[half](%[lines],%[at])\n\t"
      "dec %[left]\n\t"
      "jnz 1b"
      : [left] "+r"(left), [at] "=&r"(at), [byte] "=&q"(byte)
      : [lines] "r"(lines.data()), [half] "i"(kHalfBytes)
      : "cc", "memory");
#elif defined(__aarch64__)
  std::uint64_t left = iterations;
  std::uint64_t at = 0;
  std::uint64_t byte = 0;
  asm volatile(
      "1:\n\t"
      "and %[at], %[left], #63\n\t"
      "lsl %[at], %[at], #6\n\t"
      "ldrb %w[byte], [%[from], %[at]]\n\t"
      "strb %w[byte], [%[to], %[at]]\n\t"
      "subs %[left], %[left], #1\n\t"
      "bne 1b"
      : [left] "+r"(left), [at] "=&r"(at), [byte] "=&r"(byte)
      : [from] "r"(lines.data()), [to] "r"(lines.data() + kHalfBytes)
      : "cc", "memory");
#elif defined(__arm__)
  std::uintptr_t left = iterations;  // as wide as a register
  std::uintptr_t at = 0;
  std::uintptr_t byte = 0;
  asm volatile(
      ".syntax unified\n\t"
      "1:\n\t"
      "and %[at], %[left], #63\n\t"
      "lsl %[at], %[at], #6\n\t"
      "ldrb %[byte], [%[from], %[at]]\n\t"
      "strb %[byte], [%[to], %[at]]\n\t"
      "subs %[left], %[left], #1\n\t"
      "bne 1b"
      : [left] "+r"(left), [at] "=&r"(at), [byte] "=&r"(byte)
      : [from] "r"(lines.data()), [to] "r"(lines.data() + kHalfBytes)
      : "cc", "memory");
#else
  volatile unsigned char* line = lines.data();
  for (std::uint32_t left = iterations; left != 0; --left)
    line[kHalfBytes + 64 * (left % 64)] = line[64 * (left % 64)];
#endif
}

void run_known_code(std::uint32_t iterations) {
  for (; iterations != 0; --iterations) walk_code();
}

}  // namespace tacho
