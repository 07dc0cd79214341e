// One step of a chase, and reading the clock around it, in the machine's own words: the compiler
// has nothing here to reorder, merge or leave out. For the kernels alone.
#pragma once

#include <bit>
#include <cstdint>

#include "latency/chase/list.hpp"
#include "tacho/ticks.hpp"

namespace tacho::chase {

// The clocks that a chase can be timed with. Readings are taken in 32 bits: what is timed is short.
struct Ticks {
  [[gnu::always_inline]] static std::uint32_t now() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    // ordered_ticks(), but for the instructions that would join its halves: the compiler may put
    // them into the stretch that is timed.
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

// Waits until the address has arrived, where the clock's own fences don't: on ARM, a branch that
// depends on it, and the fence behind (ARM DDI 0487, B2.3, control dependency and ISB).
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

// Adds nothing to the next address, atomically, and so gets it.
struct Atomic {
  [[gnu::always_inline]] static Link* step(Link* at) noexcept {
    std::uintptr_t nothing = 0;
    asm volatile("" : "+r"(nothing));  // or it might become a load and a fence
    return std::bit_cast<Link*>(
        __atomic_fetch_add(reinterpret_cast<std::uintptr_t*>(at), nothing, __ATOMIC_ACQ_REL));
  }
};

}  // namespace tacho::chase
