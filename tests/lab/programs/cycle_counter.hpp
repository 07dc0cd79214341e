// Reads the counters of the CPU that the thread runs on, with the processor's instructions. If user
// space may not read them (SIGILL), there is no value.
#pragma once

#include <sched.h>
#include <ucontext.h>

#include <csignal>
#include <cstdint>
#include <optional>

namespace cycle_counter {

inline thread_local volatile std::sig_atomic_t refused = 0;

// The handler of SIGILL. It continues after the instruction, which has four bytes in every
// instruction set.
inline void skip(int, siginfo_t*, void* context) {
  refused = 1;
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__aarch64__)
  machine.pc += 4;
#else
  machine.arm_pc += 4;
#endif
}

// Installs the handler. Call it before the first read.
inline void catch_refusals() {
  struct sigaction action{};
  action.sa_sigaction = skip;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGILL, &action, nullptr);
}

#if defined(__aarch64__)
#define READ_CYCLES "isb\n\tmrs %0, pmccntr_el0"
#define READ_EVENT "mrs %0, pmevcntr0_el0"
#elif __ARM_ARCH >= 7
#define READ_CYCLES "isb\n\tmrc p15, 0, %0, c9, c13, 0"
#define READ_EVENT "mcr p15, 0, %0, c9, c12, 5\n\tmrc p15, 0, %0, c9, c13, 2"  // selects counter 0
#else
#define READ_CYCLES "mrc p15, 0, %0, c15, c12, 1"
#define READ_EVENT "mrc p15, 0, %0, c15, c12, 2"
#endif

// The low bits of the cycle counter.
inline std::optional<std::uint32_t> read() {
  std::uintptr_t value = 0;
  refused = 0;
  asm volatile(READ_CYCLES : "+r"(value) : : "memory");
  if (refused != 0) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

// Whether the first event counter can be read.
inline bool events_open() {
  std::uintptr_t value = 0;
  refused = 0;
  asm volatile(READ_EVENT : "+r"(value) : : "memory");
  return refused == 0;
}

// Binds this thread to a CPU. Returns false if the CPU is offline.
inline bool pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace cycle_counter
