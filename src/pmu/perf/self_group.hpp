// A group of counters of the calling thread, which the thread reads itself at the least cost.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/perf/user_page.hpp"

namespace tacho {

// The system call read(2) without the C library's function, which is a cancellation point
// (pthread_cancel(3)) and takes some nanoseconds more. A result below 0 is an error.
[[gnu::always_inline]] inline long read_bare(int fd, void* buffer, std::size_t size) noexcept {
#if defined(__x86_64__) && defined(__LP64__)
  long result = SYS_read;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(static_cast<long>(fd)), "S"(buffer), "d"(size)
               : "rcx", "r11", "memory");
  return result;
#else
  return ::syscall(SYS_read, fd, buffer, size);
#endif
}

// Only the thread that opened the group may turn it on and off and read it.
class SelfGroup {
 public:
  static constexpr std::size_t kMost = 40;  // events

  struct Wish {
    bool inherit = false;     // count the thread's descendants, too
    bool user_reads = false;  // read registers, if that works for all events
    bool unequal = false;     // the cores are unequal: see read_here()
  };

  SelfGroup() = default;
  // Opens the events of `which` (indices in `events`) as one group, which is off. The error of an
  // event that can't be opened is stored at its index in `refused`; the others are still opened.
  SelfGroup(std::span<const Event> events, std::span<const std::size_t> which, Wish wish,
            std::span<std::optional<Error>> refused);
  SelfGroup(SelfGroup&&) noexcept = default;
  SelfGroup& operator=(SelfGroup&&) noexcept = default;

  bool empty() const { return fds_.empty(); }
  std::span<const std::size_t> places() const { return places_; }

  bool turn(bool on) const noexcept;

  // Whether read() reads registers, and the reason if not. To be called while the group is on.
  bool by_registers() const { return !pages_.empty(); }
  const std::string& why_not() const { return why_not_; }
  // To be called in a child after fork. The child has the descriptors but not the pages, whose
  // addresses may be in use for something else.
  void forget_pages() noexcept;
  // Why user space can't read a register for each event, now that the group is on; nothing if it
  // can.
  std::optional<std::string> obstacle() const;

  struct Times {
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
  };
  // Stores the count of each event at its index in `values`. `lost_ns` is the time while the group
  // was on without registers. Returns false and stores nothing if the kernel returns no counts.
  [[gnu::always_inline]] bool read(std::uint64_t* values, std::uint64_t& lost_ns) noexcept {
    if (by_registers() && read_registers(values, lost_ns)) [[likely]]
      return true;
    Times times;
    if (!ask_kernel(values, times)) return false;
    lost_ns = times.enabled_ns - times.running_ns;
    return true;
  }
  // The same on unequal cores: reads the registers if the thread is on a core of the events' PMU.
  // Else it returns false, and the values mean nothing. A thread that the kernel moves to another
  // core meanwhile gets no signal.
  bool read_here(std::uint64_t* values, std::uint64_t& lost_ns) noexcept;
  // The same by the group's read(2), even if registers could be read.
  [[gnu::always_inline]] bool ask_kernel(std::uint64_t* values, Times& times) const noexcept {
    std::array<std::uint64_t, kHead + kMost> buffer;
    const std::size_t expected = (kHead + fds_.size()) * sizeof(std::uint64_t);
    if (read_bare(fds_.front().get(), buffer.data(), expected) != static_cast<long>(expected))
      return false;
    times = {buffer[1], buffer[2]};
    for (std::size_t i = 0; i < fds_.size(); ++i) values[places_[i]] = buffer[kHead + i];
    return true;
  }

  std::uint64_t retries() const { return retries_; }  // readings repeated after the kernel's change

  // The page that the kernel shares for one event.
  class Page {
   public:
    struct View {
      const perf_event_mmap_page* memory = nullptr;
      std::uint64_t unused = 0;  // unused_bits()
    };

    explicit Page(int fd);
    Page(Page&& other) noexcept : view_(std::exchange(other.view_, View())) {}
    Page& operator=(Page&& other) noexcept {
      std::swap(view_, other.view_);
      return *this;
    }
    ~Page();
    View get() const { return view_; }
    void forget() { view_ = View(); }

   private:
    View view_;
  };
  // One page for each event, or none.
  std::span<const Page> pages() const { return pages_; }

  // Reads the counts of these pages in their order with the fewest instructions. There must be at
  // least one page. Returns false if an event has no register now; then use read().
  [[gnu::always_inline]] static bool read_pages(std::span<const Page> pages, std::uint64_t* values,
                                                std::uint64_t& retries) noexcept {
    const Page* page = pages.data();
    const Page* const end = page + pages.size();
    do {
      const auto [memory, unused] = page->get();
      PageReading reading;
      if (!read_page<false>(*memory, unused, kByInstruction, reading, retries)) return false;
      *values++ = reading.value;
    } while (++page != end);
    return true;
  }

 private:
  static constexpr std::size_t kHead = 3;  // { nr, time_enabled, time_running, value[nr] }

  static constexpr auto kByInstruction =
      [](std::uint32_t index, std::uint64_t& value)
          __attribute__((always_inline)) { return read_pmu_register(index, value); };

  [[gnu::always_inline]] bool read_registers(std::uint64_t* values,
                                             std::uint64_t& lost_ns) noexcept {
    PageReading reading;
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      const auto [memory, unused] = pages_[i].get();
      if (!read_page(*memory, unused, kByInstruction, reading, retries_)) return false;
      values[places_[i]] = reading.value;
    }
    lost_ns = reading.lost_ns;
    return true;
  }

  std::vector<Fd> fds_;  // the leader first
  std::vector<std::size_t> places_;
  std::vector<Page> pages_;
  std::vector<Page> pages_here_;                 // for read_here()
  volatile std::uint64_t* announced_ = nullptr;  // restartable_sequence()
  std::string why_not_;
  std::uint64_t retries_ = 0;
};

}  // namespace tacho
