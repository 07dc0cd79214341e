// Reads a counter without a system call. The kernel shares a page that gives the counter's register
// and the value to add (perf_event_open(2), struct perf_event_mmap_page).
#pragma once

#include <linux/perf_event.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tacho {

struct PageReading {
  std::uint64_t value = 0;
  std::uint64_t lost_ns = 0;  // time enabled without a register; never falls
};

// How many of 64 bits the counter's register does not have. Constant while the event is open.
inline std::uint64_t unused_bits(const perf_event_mmap_page& page) {
  return (64U - page.pmc_width) % 64;
}

// Extends a register to the signed number that the kernel adds to the count so far. The sum is
// right even if the register has wrapped around.
inline std::uint64_t widened(std::uint64_t value, std::uint64_t unused) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

// The page's lock and index, which are adjacent, read at once.
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

// Returns false if the counter has no register now, or if user space may not read it. Then the
// caller has to use read(2). `unused` is the counter's unused_bits(). `read_register` gets the
// page's index, sets the register's value and returns false if the index has no register, as 0
// never has. `retries` grows each time that the kernel changed the page during the reading, for
// example because the thread moved to another CPU.
template <bool kWithTimes = true, class ReadRegister>
[[gnu::always_inline]] inline bool read_page(const perf_event_mmap_page& page, std::uint64_t unused,
                                             ReadRegister read_register, PageReading& reading,
                                             std::uint64_t& retries) {
  const volatile perf_event_mmap_page& now = page;
  for (;;) {
    const PageState state(page);
    std::atomic_signal_fence(std::memory_order_acq_rel);  // the kernel writes on this same CPU
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
// Jumps into a table of code, which has one entry for each of 64 possible indices. Each register
// needs its own instruction, and a jump to that instruction is the cheapest way. Counters 0 to 30
// have the indices 1 to 31; the cycle counter has the index 32. With branch target identification
// (BTI), each entry needs one more instruction.
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define TACHO_ENTRY "hint #36\n\tnop\n\t"
#define TACHO_ENTRY_SHIFT "4"
#else
#define TACHO_ENTRY
#define TACHO_ENTRY_SHIFT "3"
#endif
#define TACHO_READ_BY_TABLE                                                                  \
  "adr %[address], 1f\n\t"                                                                   \
  "add %[address], %[address], %[entry], lsl #" TACHO_ENTRY_SHIFT                            \
  "\n\t"                                                                                     \
  "br %[address]\n"                                                                          \
  "1:\n\t" TACHO_ENTRY                                                                       \
  "b %l[none]\n\tnop\n\t"                                                                    \
  ".irp counter, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, " \
  "21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n\t" TACHO_ENTRY                                   \
  "mrs %[value], pmevcntr\\counter\\()_el0\n\tb 2f\n\t"                                      \
  ".endr\n\t" TACHO_ENTRY                                                                    \
  "mrs %[value], pmccntr_el0\n\tb 2f\n\t"                                                    \
  ".rept 31\n\t" TACHO_ENTRY                                                                 \
  "b %l[none]\n\tnop\n\t"                                                                    \
  ".endr\n"                                                                                  \
  "2:"
#endif

// Whether the page's index has no register of counts. An index of 0 has none. Intel's metrics
// (topdown-*) share the register with bit 29, which holds shares and no counts
// (INTEL_PMC_FIXED_RDPMC_METRICS in arch/x86/include/asm/perf_event.h): the kernel computes them.
// One test finds both. ARM's indices are smaller.
constexpr bool is_no_counter(std::uint32_t index) {
  constexpr std::uint32_t kMetrics = std::uint32_t{1} << 29U;
  return ((index - 1) & kMetrics) != 0;
}

// Reads the register with the page's index; returns false if the index has no register. Only
// read_page() may call this, because it raises a signal if the kernel has not opened the register.
[[gnu::always_inline]] inline bool read_pmu_register([[maybe_unused]] std::uint32_t index,
                                                     [[maybe_unused]] std::uint64_t& value) {
#if defined(__x86_64__) || defined(__i386__)
  if (is_no_counter(index)) return false;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
  value = std::uint64_t{high} << 32U | low;
  return true;
#elif defined(__aarch64__)
  const std::uint64_t entry = index % 64;
  std::uint64_t address = 0;
  asm goto(TACHO_READ_BY_TABLE
           : [value] "=&r"(value), [address] "=&r"(address)
           : [entry] "r"(entry)
           :
           : none);
  return true;
none:
  return false;
#else
  return false;  // the kernel opens no registers to user space here
#endif
}

}  // namespace tacho
