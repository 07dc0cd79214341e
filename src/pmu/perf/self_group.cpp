#include "pmu/perf/self_group.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "pmu/perf/fallbacks.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/perf/restartable_read.hpp"
#include "pmu/perf/user_reads.hpp"

namespace tacho {
namespace {

std::size_t page_size() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Whether the kernel closes the registers although their pages say that they are open.
bool is_switched_off() {
#if defined(__aarch64__)
  return first_line("/proc/sys/kernel/perf_user_access") != "1";
#else
  return false;
#endif
}

// Why a page gives no register for an event that a register counts.
std::string closed() {
#if defined(__aarch64__)
  const std::string access = first_line("/proc/sys/kernel/perf_user_access");
  if (access.empty()) return "this kernel does not open its counters (Linux 5.17 and later can)";
  if (access == "0")
    return "kernel.perf_user_access is 0: sudo sysctl kernel.perf_user_access=1 opens the counters";
#elif defined(__x86_64__) || defined(__i386__)
  for (const std::string& path : rdpmc_switches())
    if (first_line(path) == "0") return fmt::format("rdpmc is off: write 1 to {}", path);
#elif defined(__arm__)
  return "on 32-bit ARM the kernel does not open its counters";
#endif
  return "the kernel does not open its register";
}

}  // namespace

SelfGroup::Page::Page(int fd) {
  void* memory = ::mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return;
  view_.memory = static_cast<const perf_event_mmap_page*>(memory);
  view_.unused = unused_bits(*view_.memory);
}

SelfGroup::Page::~Page() {
  if (view_.memory != nullptr)
    ::munmap(const_cast<perf_event_mmap_page*>(view_.memory), page_size());
}

SelfGroup::SelfGroup(std::span<const Event> events, std::span<const std::size_t> which, Wish wish,
                     std::span<std::optional<Error>> refused) {
  PerfOpen how{.inherit = wish.inherit, .user_reads = wish.user_reads};
  if (wish.user_reads && wish.unequal) {
    announced_ = restartable_sequence();
    if (announced_ == nullptr)
      why_not_ = "the cores are unequal, and there are no restartable sequences (glibc 2.35)";
  }
  for (const std::size_t place : which) {
    if (fds_.size() == kMost) {
      refused[place] = Error{fmt::format("more than {} events at once", kMost), "ask for fewer", 0};
      continue;
    }
    auto fd = open_with_fallbacks(events[place], how);
    if (!fd) {
      refused[place] = fd.error();
      continue;
    }
    fds_.push_back(std::move(*fd));
    places_.push_back(place);
    how.leader = fds_.front().get();
    if (!wish.user_reads || !why_not_.empty()) continue;
    const Event& event = events[place];
    if (event.domain != Domain::core) {
      why_not_ = fmt::format("'{}' is counted by the kernel, not by a register", event.name);
    } else if (Page page(fds_.back().get()); page.get().memory == nullptr) {
      why_not_ = fmt::format("the kernel shares no page for '{}'", event.name);
    } else {
      (wish.unequal ? pages_here_ : pages_).push_back(std::move(page));
    }
  }
  if (why_not_.empty()) return;
  pages_.clear();
  pages_here_.clear();
}

bool SelfGroup::turn(bool on) const noexcept {
  const auto request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
  return fds_.empty() || ::ioctl(fds_.front().get(), request, 0) == 0;
}

void SelfGroup::forget_pages() noexcept {
  for (auto* pages : {&pages_, &pages_here_}) {
    for (Page& page : *pages) page.forget();
    pages->clear();
  }
}

bool SelfGroup::read_here(std::uint64_t* values, std::uint64_t& lost_ns) noexcept {
  if (pages_here_.empty()) return false;
  PageReading reading;
  for (std::size_t i = 0; i < pages_here_.size(); ++i) {
    const auto [memory, unused] = pages_here_[i].get();
    const auto in_sequence = [page = memory, this](std::uint32_t index, std::uint64_t& value) {
      return read_register_here(*page, index, value, announced_);
    };
    if (!read_page(*memory, unused, in_sequence, reading, retries_)) return false;
    values[places_[i]] = reading.value;
  }
  lost_ns = reading.lost_ns;
  return true;
}

std::optional<std::string> SelfGroup::obstacle() const {
  for (const Page& page : pages_)
    if (page.get().memory->cap_user_rdpmc == 0 || is_no_counter(page.get().memory->index))
      return closed();
  // The thread may be on a core of another PMU now: then there is no index.
  for (const Page& page : pages_here_)
    if (page.get().memory->cap_user_rdpmc == 0 || is_switched_off()) return closed();
  return std::nullopt;
}

}  // namespace tacho
