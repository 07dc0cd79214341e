// Reads narrow registers as counts of 64 bits, with a table that another thread, the keeper,
// updates on the same CPU. The kernel's page works in the same way (user_page.hpp).
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pmu/perf/user_page.hpp"
#include "pmu/registers/driver.hpp"
#include "pmu/registers/sigill_guard.hpp"

namespace tacho::arm {

// Reads the register of a counter by its number in drivers. ARMv7 needs two instructions; if the
// keeper selects another counter in between, CounterTable repeats the reading. A program built for
// ARMv6, as by Raspberry Pi OS's compiler, also runs on later cores; its barrier is ARMv6's form of
// isb.
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
        "mcr p15, 0, %1, c7, c5, 4\n\t"  // the register's value has no effect
#endif
        "mrc p15, 0, %0, c9, c13, 2"
        : "+r"(value)
        : "r"(counter)
        : "memory");
  }
  return value;
#else
  return 0;  // user space can read no register here
#endif
}

class CounterTable {
 public:
  struct Row {
    int counter = 0;
    std::size_t place = 0;    // the index of its count in the values
    std::uint64_t mask = 0;   // the bits that the register has
    std::uint64_t last = 0;   // the register at the last look
    std::uint64_t count = 0;  // the count at the last look
  };

  // For the keeper: between close() and open(), the other thread's readings wait.
  void close() noexcept { change(); }
  void open() noexcept { change(); }
  std::array<Row, kPlaces>& rows() { return rows_; }
  void set_size(std::size_t size) { size_ = size; }

  // For the counting thread: stores each count at its place in `values`. `retries` grows each time
  // that the keeper changed the table during the reading.
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
        ::sched_yield();  // the keeper was interrupted between close() and open()
      }
      ++retries;
    }
  }

  // The same from the CPU's registers. Returns false if an access was refused.
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

  std::atomic<std::uint32_t> sequence_ = 0;  // odd between close() and open()
  std::size_t size_ = 0;
  std::array<Row, kPlaces> rows_{};
};

}  // namespace tacho::arm
