// random-loads: loads from random places of a large buffer, after work that does not depend on
// them. docs/reference/blocks.md repeats an experiment with it.
//
//   random-loads [--prefetch | --no-loads] [bytes [iterations]]
//       bytes from 4096 to 1073741824, 209715200 (200 MB) if left out;
//       iterations from 1 to 10000000000, 10000000 if left out
//
// foo executes 1 KB of NOPs (128 of them), then loads from a random place of the buffer. The loaded
// value is the place of a second load. The buffer is all zero, so the second load is from its
// beginning: it waits for the first load, and hits. --prefetch prefetches the line right before foo
// is called, so that the NOPs run while the line arrives. --no-loads calls foo_without_loads, the
// same code without the two loads: the cost of foo when nothing misses.
//
// What to look for in the machine code, with
//   objdump -d --no-show-raw-insn -M intel build/release/examples/random-loads
// (x86-64, function foo): 128 nops, two loads, an xor and the ret, without a branch in between.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string_view>

#include "argument.hpp"

// In assembly, because a compiler would move the loads before the work, or remove the work. The
// result is the loaded value, exclusive-or itself: 0.
extern "C" {
long foo(const char* buffer, std::size_t place);
long foo_without_loads(const char* buffer, std::size_t place);
}

#define FUNCTION(name, body)                                                            \
  asm(".text\n.p2align 6\n.globl " name "\n.type " name ", %function\n" name ":\n" body \
      ".size " name ", . - " name "\n")

#if defined(__x86_64__)
// Each NOP has eight bytes, so 1 KB is 128 instructions.
#define WORK ".rept 128\n.byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n.endr\n"
// The last result stays in a register. Valgrind's translation removes loads whose results are
// overwritten, so a simulated core would never see them.
#define LOADS "mov (%rdi,%rsi), %rax\nmov (%rdi,%rax), %rdx\n"
#define END "xor %rax, %rax\nret\n"
#elif defined(__aarch64__)
#define WORK ".rept 128\nnop\n.endr\n"
#define LOADS "ldr x2, [x0, x1]\nldr x2, [x0, x2]\n"
#define END "eor x0, x2, x2\nret\n"
#endif
FUNCTION("foo", WORK LOADS END);
FUNCTION("foo_without_loads", WORK END);

namespace {

enum class Variant { plain, prefetch, without_loads };

// Each variant has a loop of its own, so that all loops have the same branches.
template <Variant variant>
[[gnu::noinline]] long run(std::span<const char> buffer, std::uint64_t iterations) {
  std::default_random_engine generator;
  std::uniform_int_distribution<std::size_t> place(0, buffer.size() - sizeof(long));
  long sum = 0;
  for (; iterations != 0; --iterations) {
    const std::size_t at = place(generator);
    if constexpr (variant == Variant::prefetch) __builtin_prefetch(buffer.data() + at, 0, 1);
    sum += variant == Variant::without_loads ? foo_without_loads(buffer.data(), at)
                                             : foo(buffer.data(), at);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  const Variant variant = option == "--prefetch"   ? Variant::prefetch
                          : option == "--no-loads" ? Variant::without_loads
                                                   : Variant::plain;
  const int first = variant == Variant::plain ? 1 : 2;
  std::uint64_t bytes = 200 << 20, iterations = 10'000'000;
  if (argc > first && !parsed("random-loads", argv[first], 4096, 1 << 30, bytes)) return 2;
  if (argc > first + 1 && !parsed("random-loads", argv[first + 1], 1, 10'000'000'000, iterations))
    return 2;
  if (argc > first + 2) {
    std::fprintf(stderr, "random-loads: unexpected argument '%s'\n", argv[first + 2]);
    return 2;
  }
  // New memory is all zero. Each page is written once: pages that were never written share one page
  // of zeros, which would fit into the L1 cache.
  const auto size = static_cast<std::size_t>(bytes);
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("random-loads: no memory");
    return 1;
  }
  const std::span<char> buffer(static_cast<char*>(memory), size);
  for (std::size_t page = 0; page < size; page += 4096)
    static_cast<volatile char&>(buffer[page]) = 0;
  const long sum = variant == Variant::plain      ? run<Variant::plain>(buffer, iterations)
                   : variant == Variant::prefetch ? run<Variant::prefetch>(buffer, iterations)
                                                  : run<Variant::without_loads>(buffer, iterations);
  std::printf("random-loads: %zu bytes, %llu calls, sum %ld\n", buffer.size(),
              static_cast<unsigned long long>(iterations), sum);
  return 0;
}
