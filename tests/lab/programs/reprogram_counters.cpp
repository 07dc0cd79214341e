// reprogram_counters CPU…: does to the counters of each CPU what a hostile user can, and prints a
// line "CPU CONTROL ENABLED" for each, with what it found before (in hex), or "CPU SIGILL" if user
// space may not touch them. It makes the cycle counter count one for 64 cycles, in 32 bits, starts
// every counter, and on the ARM1176 switches on the overflow interrupts.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "cycle_counter.hpp"

namespace {

#if defined(__aarch64__)
#define READ_CONTROL "mrs %0, pmcr_el0"
#define WRITE_CONTROL "msr pmcr_el0, %0\n\tisb"
#define READ_ENABLED "mrs %0, pmcntenset_el0"
#define WRITE_ENABLED "msr pmcntenset_el0, %0\n\tisb"
#elif __ARM_ARCH >= 7
#define READ_CONTROL "mrc p15, 0, %0, c9, c12, 0"
#define WRITE_CONTROL "mcr p15, 0, %0, c9, c12, 0\n\tisb"
#define READ_ENABLED "mrc p15, 0, %0, c9, c12, 1"
#define WRITE_ENABLED "mcr p15, 0, %0, c9, c12, 1\n\tisb"
#else
#define READ_CONTROL "mrc p15, 0, %0, c15, c12, 0"
#define WRITE_CONTROL "mcr p15, 0, %0, c15, c12, 0"
#define READ_ENABLED "mov %0, #0"  // one switch for all, in the control register
#define WRITE_ENABLED ""
#endif

constexpr std::uintptr_t kEnable = 1U << 0U;
constexpr std::uintptr_t kDivide = 1U << 3U;
constexpr std::uintptr_t kLongCycles = 1U << 6U;  // PMUv3
constexpr std::uintptr_t kInterrupts1176 = 7U << 4U;
constexpr std::uintptr_t kEveryCounter = 0x8000'003fU;  // the cycle counter and six others

std::uintptr_t reprogrammed(std::uintptr_t control) {
#if defined(__aarch64__) || __ARM_ARCH >= 7
  return (control & ~kLongCycles) | kDivide | kEnable;
#else
  return control | kDivide | kEnable | kInterrupts1176;
#endif
}

void look_and_reprogram(int cpu) {
  if (!cycle_counter::pin(cpu)) return;
  std::uintptr_t control = 0;
  std::uintptr_t enabled = 0;
  cycle_counter::refused = 0;
  asm volatile(READ_CONTROL : "=r"(control) : : "memory");
  if (cycle_counter::refused != 0) {
    std::printf("%d SIGILL\n", cpu);
    return;
  }
  asm volatile(READ_ENABLED : "=r"(enabled) : : "memory");
  asm volatile(WRITE_CONTROL : : "r"(reprogrammed(control)) : "memory");
  asm volatile(WRITE_ENABLED : : "r"(kEveryCounter) : "memory");
  std::printf("%d %" PRIxPTR " %" PRIxPTR "\n", cpu, control, enabled);
}

}  // namespace

int main(int argc, char** argv) {
  cycle_counter::catch_refusals();
  for (int i = 1; i < argc; ++i) look_and_reprogram(std::atoi(argv[i]));
  return 0;
}
