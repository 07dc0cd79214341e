// three_functions SEED ROUNDS: three functions run in turn, each a loop of two instructions an
// iteration. A random generator with this seed draws the numbers of iterations; on average the
// functions have 6, 3 and 1 in 10 of them. Prints the instructions of each function's loops.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define LOOP_IN(name)                                                   \
  extern "C" [[gnu::noipa]] void name(std::uintptr_t left) {            \
    asm volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(left) : : "cc"); \
  }
LOOP_IN(first)
LOOP_IN(second)
LOOP_IN(third)

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  constexpr std::array kMean = {12'000U, 6'000U, 2'000U};  // iterations
  constexpr std::array kFunctions = {first, second, third};
  auto random = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  std::array<std::uint64_t, 3> iterations{};
  for (long left = std::strtol(argv[2], nullptr, 10); left > 0; --left)
    for (std::size_t i = 0; i < kFunctions.size(); ++i) {
      random = random * 1'664'525 + 1'013'904'223;
      const std::uint32_t n = kMean[i] / 2 + (random >> 16) % kMean[i];  // 0.5 to 1.5 of the mean
      iterations[i] += n;
      kFunctions[i](n);
    }
  for (const std::uint64_t n : iterations) std::printf("%llu\n", 2ULL * n);
  return 0;
}
