// Reads counters' narrow registers as counts of 64 bits, guided by a table that the keeper renews
// on the same CPU, as the kernel does with its page (user_page.hpp).
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pmu/perf/user_page.hpp"
#include "pmu/registers/driver.hpp"
#include "pmu/registers/guard.hpp"

namespace tacho::arm {

// A counter's register, by the number that drivers give it. Selecting it takes two instructions on
// ARMv7, and whoever comes between must not select another: see OwnReads. A program that was built
// for ARMv6 (by Raspberry Pi OS's compiler) finds later cores too: it has an own word for the isb.
[[gnu::always_inline]] inline std::uint64_t read_counter([[maybe_unused]] int counter) {
#if defined(__aarch64__)
  std::uint64_t value = 0;
  read_pmu_register(static_cast<std::uint32_t>(counter) + 1, value);
  return value;
#elif defined(__arm__)
  std::uint32_t value = 0;
  if (counter == kCycleCounter) {
    asm volatile("mrc p15, 0, %0, c9, c13, 0" : "+r"(value)::"memory");
  } else {
    asm volatile(
        "mcr p15, 0, %1, c9, c12, 5\n\t"
#if __ARM_ARCH >= 7
        "isb\n\t"
#else
        "mcr p15, 0, %1, c7, c5, 4\n\t"  // whatever the register's value
#endif
        "mrc p15, 0, %0, c9, c13, 2"
        : "+r"(value)
        : "r"(counter)
        : "memory");
  }
  return value;
#else
  return 0;  // no register is opened there
#endif
}

class OwnReads {
 public:
  struct Row {
    int counter = 0;
    std::size_t place = 0;    // of its count
    std::uint64_t mask = 0;   // of the register's bits
    std::uint64_t last = 0;   // the register, when
    std::uint64_t count = 0;  // this had been counted
  };

  // The keeper's: between the two nobody reads.
  void close() noexcept { change(); }
  void open() noexcept { change(); }
  std::array<Row, kPlaces>& rows() { return rows_; }
  void set_size(std::size_t size) { size_ = size; }

  // The thread's: each count in its place of `values`. `retries` grows each time that the keeper
  // came between.
  template <class ReadCounter>
  [[gnu::always_inline]] void read(std::uint64_t* values, std::uint64_t& retries,
                                   ReadCounter read_counter) const noexcept {
    for (;;) {
      const std::uint32_t begun = sequence_.load(std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_acq_rel);  // the keeper writes on this very CPU
      if (begun % 2 == 0) [[likely]] {
        for (std::size_t i = 0; i < size_; ++i) {
          const Row& row = rows_[i];
          values[row.place] = row.count + ((read_counter(row.counter) - row.last) & row.mask);
        }
        std::atomic_signal_fence(std::memory_order_acq_rel);
        if (sequence_.load(std::memory_order_relaxed) == begun) return;
      } else {
        ::sched_yield();  // it was interrupted in the middle
      }
      ++retries;
    }
  }

  // The same from the CPU's registers. False when one was refused.
#if defined(__arm__) || defined(__aarch64__)
  [[gnu::always_inline]] bool read(std::uint64_t* values, std::uint64_t& retries) const noexcept {
    {
      const Guarded guarded;
      read(values, retries, [](int counter) { return read_counter(counter); });
    }
    return !Guarded::was_refused();
  }
#else
  bool read(std::uint64_t*, std::uint64_t&) const noexcept { return false; }
#endif

 private:
  void change() noexcept {
    std::atomic_signal_fence(std::memory_order_acq_rel);
    sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_acq_rel);
  }

  std::atomic<std::uint32_t> sequence_ = 0;  // odd while the keeper is at it
  std::size_t size_ = 0;
  std::array<Row, kPlaces> rows_{};
};

}  // namespace tacho::arm
