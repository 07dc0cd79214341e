// A group of counters of the calling thread, which the thread itself reads: as cheaply as can be.
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

// read(2) itself: the C library's may end the thread in the middle (pthread_cancel(3)), and costs
// some nanoseconds more. Below 0 it failed.
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

// Of one thread: opened, turned and read by it alone.
class SelfGroup {
 public:
  static constexpr std::size_t kMost = 40;  // events

  struct Wish {
    bool inherit = false;     // count what the thread starts, too
    bool user_reads = false;  // read registers, if that works for all of the events
  };

  SelfGroup() = default;
  // Opens the events of `which` (places in `events`) as one group, stopped. What is refused leaves
  // the others; its place in `refused` says why.
  SelfGroup(std::span<const Event> events, std::span<const std::size_t> which, Wish wish,
            std::span<std::optional<Error>> refused);
  SelfGroup(SelfGroup&&) noexcept = default;
  SelfGroup& operator=(SelfGroup&&) noexcept = default;

  bool empty() const { return fds_.empty(); }
  std::span<const std::size_t> places() const { return places_; }

  bool turn(bool on) const noexcept;

  // Whether registers are read; to be asked while it is on. Why not, else.
  bool by_registers() const { return !pages_.empty(); }
  const std::string& why_not() const { return why_not_; }
  // In a child after a fork, which has the descriptors but not the pages: something else may lie
  // there by now.
  void forget_pages() noexcept;
  // What keeps user space from reading a register for each, now that it is on; nothing if it can.
  std::optional<std::string> obstacle() const;

  struct Times {
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
  };
  // Puts each event's count in its place of `values`. `lost_ns` is for how long the group was on
  // without registers. False, and nothing put, when the kernel gives no counts.
  [[gnu::always_inline]] bool read(std::uint64_t* values, std::uint64_t& lost_ns) noexcept {
    if (by_registers() && read_registers(values, lost_ns)) [[likely]]
      return true;
    Times times;
    if (!ask_kernel(values, times)) return false;
    lost_ns = times.enabled_ns - times.running_ns;
    return true;
  }
  // The same by the group's read(2), whatever the way.
  [[gnu::always_inline]] bool ask_kernel(std::uint64_t* values, Times& times) const noexcept {
    std::array<std::uint64_t, kHead + kMost> buffer;
    const std::size_t expected = (kHead + fds_.size()) * sizeof(std::uint64_t);
    if (read_bare(fds_.front().get(), buffer.data(), expected) != static_cast<long>(expected))
      return false;
    times = {buffer[1], buffer[2]};
    for (std::size_t i = 0; i < fds_.size(); ++i) values[places_[i]] = buffer[kHead + i];
    return true;
  }

  std::uint64_t retries() const { return retries_; }  // of reads that the kernel came between

  // A page of the kernel's.
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
  // Of all events, or none.
  std::span<const Page> pages() const { return pages_; }

  // The counts of these pages alone, which are some, in their order, in the fewest instructions.
  // False when one has no register now: then read() has to do it.
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

  std::vector<Fd> fds_;  // the leader's first
  std::vector<std::size_t> places_;
  std::vector<Page> pages_;
  std::string why_not_;
  std::uint64_t retries_ = 0;
};

}  // namespace tacho
