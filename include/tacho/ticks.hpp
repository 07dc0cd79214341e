// The cheapest clock of a processor: a counter that a program reads by itself, without the kernel.
// C++17 or later. All functions are thread-safe; ticks() and ordered_ticks() are async-signal-safe.
//
// Two kinds of counter, which answer different questions:
//   wall-like  goes on at one rate whatever happens: also while the thread sleeps or waits for a
//              CPU. Readings of different CPUs can be compared. (x86: TSC; ARM: CNTVCT)
//   CPU-like   counts cycles of one core, at its present clock, whoever runs there, and stands
//              still while the core sleeps. Readings of different CPUs have nothing to do with
//              each other. (ARM: PMCCNTR, see arm_cycles())
// Neither counts what the thread alone used: that takes a counter of the kernel's (counters.hpp).
#pragma once

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace tacho {

enum class TickSource {
  tsc,     // x86's time stamp counter: wall-like on processors since about 2008
  cntvct,  // ARM's virtual counter: wall-like, but coarse (often 19 to 62 MHz; 1 GHz since ARMv8.6)
  clock,   // clock_gettime(CLOCK_MONOTONIC), in nanoseconds, where there is nothing cheaper
};

namespace detail {
#if defined(__arm__)
extern TickSource tick_source;  // chosen once, when the program starts
std::uint64_t clock_ticks() noexcept;
#endif
}  // namespace detail

// Reads the counter as it comes: the processor may do so before what stands before it, and after
// what stands behind it. Units: tick_clock(). Cost: some 20 cycles on x86.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();  // what __rdtsc() is: its header takes a compiler half a second
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

// Reads it when everything before has been done, and before anything behind begins (Intel SDM vol.
// 2, RDTSC and LFENCE; AMD APM vol. 2, 3.2.4: the kernel makes LFENCE serialize; ARM DDI 0487,
// D11.2.1). Stores that were done may still be on their way to memory. Cost: that of two fences
// more.
inline std::uint64_t ordered_ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_lfence();
  const std::uint64_t now = ticks();
  __builtin_ia32_lfence();
  return now;
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
  const std::uint64_t now = ticks();
  asm volatile("isb" ::: "memory");
  return now;
#else
  asm volatile("" ::: "memory");
  const std::uint64_t now = ticks();  // CNTVCT's ordering costs a barrier that ARMv6 does not have
  asm volatile("" ::: "memory");
  return now;
#endif
}

#if defined(__aarch64__) || defined(__arm__)
// ARM's cycle counter, PMCCNTR (on the ARM1176, which has it elsewhere, CCR): CPU-like. Only where
// it counts and user space may read it: the kernel module tacho_pmu says "state=on counting=yes" of
// the CPU in /proc/tacho_pmu, or the program holds an event with user access and
// kernel.perf_user_access is 1. Anywhere else it raises SIGILL, and so it does on a later core
// where the program was compiled for ARMv6, as Raspberry Pi OS's compiler of 32 bits does unless
// told -march=armv7-a: what it reads then is the ARM1176's. 32 bits in programs of 32 bits, so that
// it goes around every few seconds: differences are to be taken in 32 bits too. Not ordered, as
// ticks(). Cost: 1 to 3 instructions.
#if defined(__aarch64__)
using ArmCycles = std::uint64_t;
#else
using ArmCycles = std::uint32_t;
#endif
inline ArmCycles arm_cycles() noexcept {
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

// When everything before has been done, and before anything behind begins.
inline ArmCycles ordered_arm_cycles() noexcept {
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

// What ticks() counts.
struct TickClock {
  TickSource source;
  bool wall_like;   // see above
  double hz;        // ticks a second
  double hz_error;  // half-width: 0 where the processor itself says the rate, else of the measuring
};
// On x86 the rate is measured against CLOCK_MONOTONIC_RAW, from the program's start on: a call
// within its first 20 ms waits for their end, and so does one after the machine was suspended.
TickClock tick_clock();

// How fast the core of the calling thread runs, by a chain of dependent operations of known
// latency.
struct CoreClock {
  double cycles_per_tick;
  double hz;
  double spread;  // how far its chains (additions, rotations) disagree, as a part of the rate
};
// Measures for some 100 µs. The clock changes with load and heat, so measure beside what is to be
// converted. A `spread` over 0.01 means that the core was disturbed, or executes the chains in ways
// that are not known here: then ticks can't be told in cycles.
CoreClock measure_core_clock();

// "TSC at 2.6 GHz, wall-like": for reports.
std::string to_string(const TickClock& clock);

}  // namespace tacho
#pragma GCC visibility pop
