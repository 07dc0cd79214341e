// Reads a counter without a system call: the page that the kernel shares with the program says
// which register holds the counter now, and what to add (perf_event_open(2), struct
// perf_event_mmap_page).
#pragma once

#include <linux/perf_event.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tacho {

struct PageReading {
  std::uint64_t value = 0;
  std::uint64_t lost_ns = 0;  // enabled without a register: never falls
};

// How many of 64 bits the counter's register does not have: always the same while it is open.
inline std::uint64_t unused_bits(const perf_event_mmap_page& page) {
  return (64U - page.pmc_width) % 64;
}

// A register as the signed number that it is to the kernel, which adds it to what it has counted
// already. That keeps the sum right where the register has gone around.
inline std::uint64_t widened(std::uint64_t value, std::uint64_t unused) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

// The page's lock and index, which lie side by side, in one reading.
struct PageState {
  using Word [[gnu::may_alias]] = std::uint64_t;
  Word word;

  explicit PageState(const perf_event_mmap_page& page)
      : word(*reinterpret_cast<const volatile Word*>(&page.lock)) {}
  std::uint32_t index() const {
    constexpr bool kIndexIsUpper = std::endian::native == std::endian::little;
    return static_cast<std::uint32_t>(kIndexIsUpper ? word >> 32U : word);
  }
};
static_assert(offsetof(perf_event_mmap_page, index) == offsetof(perf_event_mmap_page, lock) + 4 &&
              offsetof(perf_event_mmap_page, lock) % sizeof(std::uint64_t) == 0);

// False when the counter has no register now, or user space may not read it: then the kernel has to
// be asked. `unused` are its unused_bits(). `read_register` takes the page's index, which is 0
// then, and gives the register's value; it is false where the index is of none. `retries` grows
// each time that the kernel changed the page meanwhile (as when the thread went to another CPU,
// whose register is another).
template <bool kWithTimes = true, class ReadRegister>
[[gnu::always_inline]] inline bool read_page(const perf_event_mmap_page& page, std::uint64_t unused,
                                             ReadRegister read_register, PageReading& reading,
                                             std::uint64_t& retries) {
  const volatile perf_event_mmap_page& now = page;
  for (;;) {
    const PageState state(page);
    std::atomic_signal_fence(std::memory_order_acq_rel);  // the kernel writes on this very CPU
    std::uint64_t value = 0;
    if (!read_register(state.index(), value)) return false;
    value = static_cast<std::uint64_t>(now.offset) + widened(value, unused);
    const std::uint64_t lost = kWithTimes ? now.time_enabled - now.time_running : 0;
    std::atomic_signal_fence(std::memory_order_acq_rel);
    if (PageState(page).word == state.word) [[likely]] {
      reading = {value, lost};
      return true;
    }
    ++retries;
  }
}

#if defined(__aarch64__)
// Entries of a table of code: one for each of the 64 indices that there can be. Where jumps have to
// be expected by the code that they lead to (BTI), that takes an instruction more.
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define TACHO_ENTRY "hint #36\n\tnop\n\t"
#define TACHO_ENTRY_SHIFT "4"
#else
#define TACHO_ENTRY
#define TACHO_ENTRY_SHIFT "3"
#endif
#endif

// A register of the CPU's performance monitor, by the index that the page gives; false where it is
// of none. Raises a signal where the kernel has not opened it, and so is called through read_page()
// alone.
[[gnu::always_inline]] inline bool read_pmu_register([[maybe_unused]] std::uint32_t index,
                                                     [[maybe_unused]] std::uint64_t& value) {
#if defined(__x86_64__) || defined(__i386__)
  if (index == 0) return false;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
  value = std::uint64_t{high} << 32U | low;
  return true;
#elif defined(__aarch64__)
  // The register is a part of the instruction, so that there is one for each: the cheapest is to
  // jump there. Counters 0 to 30, and of cycles, have the indices 1 to 31, and 32.
  const std::uint64_t entry = index % 64;
  std::uint64_t address = 0;
  asm goto(
      "adr %1, 1f\n\t"
      "add %1, %1, %2, lsl #" TACHO_ENTRY_SHIFT
      "\n\t"
      "br %1\n"
      "1:\n\t" TACHO_ENTRY
      "b %l[none]\n\tnop\n\t"
      ".irp counter, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, "
      "21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n\t" TACHO_ENTRY
      "mrs %0, pmevcntr\\counter\\()_el0\n\tb 2f\n\t"
      ".endr\n\t" TACHO_ENTRY
      "mrs %0, pmccntr_el0\n\tb 2f\n\t"
      ".rept 31\n\t" TACHO_ENTRY
      "b %l[none]\n\tnop\n\t"
      ".endr\n"
      "2:"
      : "=&r"(value), "=&r"(address)
      : "r"(entry)
      :
      : none);
  return true;
none:
  return false;
#else
  return false;  // the kernel opens no registers to user space here
#endif
}

#undef TACHO_ENTRY
#undef TACHO_ENTRY_SHIFT

}  // namespace tacho
