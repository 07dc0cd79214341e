// The cheapest clock of a processor: a counter that a program reads itself, without the kernel.
// C++17 or later. All functions are thread-safe. ticks() and ordered_ticks() are
// async-signal-safe. docs/reference/regions.md gives the cost of each call.
//
// There are two kinds of clock, which answer different questions:
//   wall-like  goes on at a constant rate, also while the thread sleeps or waits for a CPU.
//              Readings on different CPUs can be compared. (x86: TSC; ARM: CNTVCT)
//   CPU-like   counts the cycles of one core at its present frequency, for all threads that run
//              there, and stops while the core sleeps. Readings on different CPUs cannot be
//              compared. (ARM: PMCCNTR, see arm_cycles())
// Neither gives the time that the thread itself used. An event such as task-clock does
// (counters.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "tacho/version.h"

#pragma GCC visibility push(default)
namespace tacho {
inline namespace v0 {

enum class TickSource {
  tsc,     // x86's time stamp counter: wall-like on processors since about 2008
  cntvct,  // ARM's virtual counter: wall-like, but coarse (often 19 to 62 MHz; 1 GHz from ARMv8.6)
  clock,   // clock_gettime(CLOCK_MONOTONIC) in nanoseconds, where there is nothing cheaper
};

namespace detail {
#if defined(__x86_64__) || defined(__i386__)
// Every processor with SSE2 has the instruction. GCC has its built-in function for 32 bits only
// with -msse2.
[[gnu::always_inline]] inline void fence() noexcept {
  asm volatile("lfence" ::: "memory");
}
#elif defined(__arm__)
extern TickSource tick_source;  // chosen once, when the program starts
std::uint64_t clock_ticks() noexcept;
#endif
}  // namespace detail

// Reads the clock, in ticks of tick_clock().hz. The processor may move the reading before or after
// the instructions around it.
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();  // as __rdtsc(), whose header takes a compiler half a second
#elif defined(__aarch64__)
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#elif defined(__arm__)
  if (detail::tick_source == TickSource::cntvct) {
    std::uint64_t now;
    asm volatile("mrrc p15, 1, %Q0, %R0, c14" : "=r"(now));
    return now;
  }
  return detail::clock_ticks();
#else
#error "tacho/ticks.hpp knows x86 and ARM"
#endif
}

// Reads the clock after all earlier instructions have completed and before any later one begins
// (Intel SDM vol. 2, RDTSC and LFENCE; AMD APM vol. 2, 3.2.4: the kernel makes LFENCE serialize;
// ARM DDI 0487, D11.2.1). Earlier stores may still be on their way to memory. On 32-bit ARM only
// the compiler keeps this order.
[[nodiscard]] inline std::uint64_t ordered_ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  detail::fence();
  const std::uint64_t now = ticks();
  detail::fence();
  return now;
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
  const std::uint64_t now = ticks();
  asm volatile("isb" ::: "memory");
  return now;
#else
  asm volatile("" ::: "memory");
  const std::uint64_t now = ticks();  // to order CNTVCT takes a barrier that ARMv6 does not have
  asm volatile("" ::: "memory");
  return now;
#endif
}

#if defined(__aarch64__) || defined(__arm__)
// ARM's cycle counter: PMCCNTR, or CCR on the ARM1176. CPU-like, and not ordered, as ticks().
//
// Call arm_cycles() only if user space may read the counter, and if it counts. Either the kernel
// module tacho_pmu shows "state=on counting=yes" for the CPU in /proc/tacho_pmu, or the program
// holds an event with user access while kernel.perf_user_access is 1. Elsewhere the call raises
// SIGILL. It also raises SIGILL on ARMv7 and later if the program was compiled for ARMv6, because
// it then reads the register of the ARM1176. The 32-bit compiler of Raspberry Pi OS compiles for
// ARMv6 unless -march=armv7-a is given.
//
// In 32-bit programs the counter has 32 bits and wraps around every few seconds: compute
// differences in 32 bits.
#if defined(__aarch64__)
using ArmCycles = std::uint64_t;
#else
using ArmCycles = std::uint32_t;
#endif
[[nodiscard]] inline ArmCycles arm_cycles() noexcept {
  ArmCycles now;
#if defined(__aarch64__)
  asm volatile("mrs %0, pmccntr_el0" : "=r"(now));
#elif __ARM_ARCH >= 7
  asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(now));
#else
  asm volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(now));
#endif
  return now;
}

// Reads the counter after all earlier instructions have completed and before any later one begins.
[[nodiscard]] inline ArmCycles ordered_arm_cycles() noexcept {
#if defined(__aarch64__) || __ARM_ARCH >= 7
  asm volatile("isb" ::: "memory");
  const ArmCycles now = arm_cycles();
  asm volatile("isb" ::: "memory");
#else
  asm volatile("mcr p15, 0, %0, c7, c5, 4" ::"r"(0) : "memory");  // a prefetch flush: ARMv6's isb
  const ArmCycles now = arm_cycles();
  asm volatile("mcr p15, 0, %0, c7, c5, 4" ::"r"(0) : "memory");
#endif
  return now;
}
#endif

// The clock that ticks() reads.
struct TickClock {
  TickSource source;
  bool wall_like;   // else CPU-like, see above
  double hz;        // ticks a second
  double hz_error;  // half-width of `hz`, in Hz: 0 if the processor itself gives the rate
};
// On x86 the rate is measured against CLOCK_MONOTONIC_RAW, over at least 20 ms from the start of
// the program. A first call that comes earlier waits for the end of the 20 ms, as does one after
// the machine was suspended. Later calls return the same value.
[[nodiscard]] TickClock tick_clock();

// The smallest difference of two readings of ticks(), apart from 0: 1, or more if the clock moves
// in steps of several ticks, as in some virtual machines. It is measured at the first call, which
// takes some 10 µs.
[[nodiscard]] double tick_step();

// The frequency of the core that runs the calling thread.
struct CoreClock {
  double cycles_per_tick;
  double hz;
  double spread;  // how far two measurements disagree, as a part of `hz`
};
// Times chains of dependent additions and rotations, which take one cycle each, for about 100 µs.
// The frequency changes with load and heat, so call it close to the code whose ticks you convert.
// If `spread` is over 0.01, the core was disturbed, or it executes these chains in an unknown way:
// then do not convert ticks to cycles.
[[nodiscard]] CoreClock measure_core_clock();

// "TSC at 2.6 GHz, wall-like", for reports.
[[nodiscard]] std::string to_string(const TickClock& clock);

}  // namespace v0
}  // namespace tacho
#pragma GCC visibility pop
