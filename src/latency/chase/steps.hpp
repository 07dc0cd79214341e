// One step of a chase, and the readings of the clock around it, in assembly: the compiler can't
// reorder, merge or drop them. Only for the kernels.
#pragma once

#include <bit>
#include <cstdint>

#include "latency/chase/list.hpp"
#include "tacho/ticks.hpp"

namespace tacho::chase {

// The clocks for timing a chase. Readings have 32 bits, because the timed stretches are short.
struct Ticks {
  [[gnu::always_inline]] static std::uint32_t now() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    // As ordered_ticks(), without the instructions that join its two halves: the compiler may put
    // those between the readings.
    std::uint32_t low;
    asm volatile("lfence\nrdtsc\nlfence" : "=a"(low)::"edx", "memory");
    return low;
#else
    return static_cast<std::uint32_t>(ordered_ticks());
#endif
  }
};
#if defined(__aarch64__) || defined(__arm__)
struct Cycles {
  [[gnu::always_inline]] static std::uint32_t now() noexcept {
    return static_cast<std::uint32_t>(ordered_arm_cycles());
  }
};
#endif

// Waits until the address has arrived, if the clock's own fences do not. On ARM: a branch that
// depends on the address, and the fence after it (ARM DDI 0487, B2.3, control dependency and ISB).
[[gnu::always_inline]] inline void await(Link* at) noexcept {
#if defined(__aarch64__)
  asm volatile("cbz %0, 1f\n1:" ::"r"(at));
#elif defined(__arm__)
  asm volatile("cmp %0, #0\nbeq 1f\n1:" ::"r"(at) : "cc");
#else
  asm volatile("" ::"r"(at));
#endif
}

// Loads the next address.
struct Load {
  [[gnu::always_inline]] static Link* step(Link* at) noexcept {
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("mov (%0), %0" : "+r"(at)::"memory");
#else
    asm volatile("ldr %0, [%0]" : "+r"(at)::"memory");
#endif
    return at;
  }
};

// Writes into the line before it loads the next address from it.
struct Write {
  [[gnu::always_inline]] static Link* step(Link* at) noexcept {
#if defined(__x86_64__)
    asm volatile("mov %0, 8(%0)\nmov (%0), %0" : "+r"(at)::"memory");
#elif defined(__i386__)
    asm volatile("mov %0, 4(%0)\nmov (%0), %0" : "+r"(at)::"memory");
#elif defined(__aarch64__)
    asm volatile("str %0, [%0, #8]\nldr %0, [%0]" : "+r"(at)::"memory");
#else
    asm volatile("str %0, [%0, #4]\nldr %0, [%0]" : "+r"(at)::"memory");
#endif
    return at;
  }
};

// Gets the next address by adding 0 to it atomically.
struct Atomic {
  [[gnu::always_inline]] static Link* step(Link* at) noexcept {
    std::uintptr_t zero = 0;
    asm volatile("" : "+r"(zero));  // or the compiler may make it a load and a fence
    return std::bit_cast<Link*>(
        __atomic_fetch_add(reinterpret_cast<std::uintptr_t*>(at), zero, __ATOMIC_ACQ_REL));
  }
};

}  // namespace tacho::chase
