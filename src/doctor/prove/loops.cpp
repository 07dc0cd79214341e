#include "doctor/prove/loops.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace tacho::prove {

// One operation of each chain, and the end of an iteration, in the architecture's assembly code.
#if defined(__x86_64__) || defined(__i386__)
#define TACHO_UNIFIED ""
#define TACHO_EXCLUSIVE_OR "xor %[other], %[value]"
#define TACHO_MULTIPLY "imul %[other], %[value]"
#define TACHO_COUNT_DOWN "dec %[left]\n"
#define TACHO_BACK_TO "jnz "
#elif defined(__aarch64__) || defined(__arm__)
#ifdef __arm__
#define TACHO_UNIFIED ".syntax unified\n"
#else
#define TACHO_UNIFIED ""
#endif
#define TACHO_EXCLUSIVE_OR "eor %[value], %[value], %[other]"
#define TACHO_MULTIPLY "mul %[value], %[other], %[value]"
#define TACHO_COUNT_DOWN "subs %[left], %[left], #1\n"
#define TACHO_BACK_TO "bne "
#endif

// The first instruction of the chain, its branch, and what follows: labels in run_chain().
#ifdef TACHO_EXCLUSIVE_OR
[[gnu::visibility("hidden")]] extern const char kChainBegin[] asm("tacho_chain_begin");
[[gnu::visibility("hidden")]] extern const char kChainBranch[] asm("tacho_chain_branch");
[[gnu::visibility("hidden")]] extern const char kChainEnd[] asm("tacho_chain_end");
#endif

// Not inlined, because a second copy would define the labels again. And no branch leads over the
// code: the compiler does not know its length.
[[gnu::noinline]] void run_chain(std::uint32_t iterations) {
  std::uintptr_t left = iterations;  // as wide as a register
  std::uintptr_t value = 1;
  std::uintptr_t other = 3;
#ifdef TACHO_EXCLUSIVE_OR
  asm volatile(TACHO_UNIFIED
               ".p2align 6\n"
               "tacho_chain_begin:\n\t"
               ".rept 256\n\t" TACHO_EXCLUSIVE_OR "\n\t.endr\n\t" TACHO_COUNT_DOWN
               "tacho_chain_branch:\n\t" TACHO_BACK_TO
               "tacho_chain_begin\n"
               "tacho_chain_end:"
               : [left] "+r"(left), [value] "+r"(value)
               : [other] "r"(other)
               : "cc");
#else
  asm volatile("" : "+r"(left), "+r"(value), "+r"(other));
#endif
}

ChainCode chain_code() {
#ifdef TACHO_EXCLUSIVE_OR
  const auto address = [](const char* label) { return reinterpret_cast<std::uintptr_t>(label); };
  return {address(kChainBegin), address(kChainBranch), address(kChainEnd)};
#else
  return {};
#endif
}

[[gnu::noinline]] void run_multiplications(std::uint32_t iterations) {
  std::uintptr_t left = iterations;
  std::uintptr_t value = 1;
  std::uintptr_t other = 3;
#ifdef TACHO_MULTIPLY
  asm volatile(TACHO_UNIFIED
               "1:\n\t"
               ".rept 256\n\t" TACHO_MULTIPLY "\n\t.endr\n\t" TACHO_COUNT_DOWN "\t" TACHO_BACK_TO
               "1b"
               : [left] "+r"(left), [value] "+r"(value)
               : [other] "r"(other)
               : "cc");
#else
  asm volatile("" : "+r"(left), "+r"(value), "+r"(other));
#endif
}

#undef TACHO_UNIFIED
#undef TACHO_EXCLUSIVE_OR
#undef TACHO_MULTIPLY
#undef TACHO_COUNT_DOWN
#undef TACHO_BACK_TO

void touch_pages(std::size_t pages) {
  constexpr std::size_t kAtOnce = 256;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, kAtOnce * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  ::madvise(memory, kAtOnce * page, MADV_NOHUGEPAGE);
  while (pages > 0) {
    const std::size_t now = std::min(pages, kAtOnce);
    for (std::size_t i = 0; i < now; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
    ::madvise(memory, kAtOnce * page, MADV_DONTNEED);
    pages -= now;
  }
  ::munmap(memory, kAtOnce * page);
}

}  // namespace tacho::prove
