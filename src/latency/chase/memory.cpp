#include "latency/chase/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/number.hpp"
#include "latency/inference/rules.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace tacho::chase {
namespace {

constexpr const char* kHuge = "/sys/kernel/mm/transparent_hugepage/";
constexpr const MemoryRules& kMemory = kLatencyRules.memory;
constexpr unsigned long kBind = 2;  // MPOL_BIND of linux/mempolicy.h

std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::string readable(std::size_t value) {
  return bytes(value, NumberStyle());
}

// Bytes of this mapping in huge pages of either kind; none if the kernel does not say.
std::optional<std::size_t> bytes_in_huge_pages(std::span<const std::byte> memory) {
  std::ifstream smaps("/proc/self/smaps");
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  bool inside = false, known = false;
  std::size_t total = 0;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long long from = 0, to = 0, kilobytes = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &from, &to) == 2)
      inside = from >= begin && to <= begin + memory.size();
    else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %llu kB", &kilobytes) == 1) {
      known = true;
      total += static_cast<std::size_t>(kilobytes) << 10U;
    }
  }
  return known ? std::optional(total) : std::nullopt;
}

Result<void> touch(std::span<std::byte> memory) {
  if (::madvise(memory.data(), memory.size(), MADV_POPULATE_WRITE) == 0) return {};
  if (errno != EINVAL)
    return os_failure(fmt::format("cannot get {} of memory", readable(memory.size())), errno,
                      "give a smaller --max-size");
  const std::size_t page = small_page_bytes();  // a kernel before Linux 5.14
  for (std::size_t at = 0; at < memory.size(); at += page)
    *const_cast<volatile std::byte*>(memory.data() + at) = std::byte{0};
  return {};
}

Result<void> bind(std::span<std::byte> memory, int node) {
  constexpr unsigned kBits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, 1024 / kBits> mask{};
  const auto bit = static_cast<unsigned>(node);
  if (bit >= mask.size() * kBits) return failure(fmt::format("there is no NUMA node {}", node));
  mask.at(bit / kBits) = 1UL << (bit % kBits);
  if (::syscall(SYS_mbind, memory.data(), memory.size(), kBind, mask.data(),
                mask.size() * kBits + 1, 0U) == 0)
    return {};
  return os_failure(fmt::format("cannot get memory of NUMA node {}", node), errno,
                    "choose a node that the process may use (Mems_allowed of /proc/self/status)");
}

struct Obstacle {
  std::string why;
  std::string remedy;
};

// Why only so many bytes are in huge pages.
Obstacle obstacle(std::size_t wanted, std::optional<std::size_t> got) {
  const std::string enabled = first_line(fmt::format("{}enabled", kHuge));
  if (enabled.empty()) return {"the kernel has none", ""};
  if (::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
    return {"the program that started tacho switched them off (prctl, PR_SET_THP_DISABLE)",
            "start tacho from another program, or "};
  if (enabled.contains("[never]"))
    return {fmt::format("{}enabled is 'never'", kHuge),
            fmt::format("echo madvise | sudo tee {}enabled, or ", kHuge)};
  if (!got) return {"/proc/self/smaps does not say whether there are any", "mount /proc, or "};
  return {
      fmt::format("only {} of {} are in huge pages: memory is fragmented, or a limit prevents it",
                  readable(*got), readable(wanted)),
      "echo 1 | sudo tee /proc/sys/vm/compact_memory, or "};
}

// Asks the kernel in both ways that exist: at the first touch, and afterwards (since Linux 6.1,
// whatever the setting is).
Result<void> make_huge(std::span<std::byte> memory) {
  ::madvise(memory.data(), memory.size(), MADV_HUGEPAGE);
  TACHO_TRY(touch(memory));
  const auto enough = [&] {
    const auto huge = bytes_in_huge_pages(memory);
    return huge &&
           static_cast<double>(*huge) >= kMemory.mostly_huge * static_cast<double>(memory.size());
  };
  if (enough()) return {};
  ::madvise(memory.data(), memory.size(), MADV_COLLAPSE);
  if (enough()) return {};
  const auto [why, remedy] = obstacle(memory.size(), bytes_in_huge_pages(memory));
  return failure(fmt::format("no huge pages: {}", why), remedy + "use --pages small");
}

}  // namespace

std::size_t small_page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t huge_page_bytes() {
  const std::string text = first_line(fmt::format("{}hpage_pmd_size", kHuge));
  unsigned long long value = 0;
  return std::sscanf(text.c_str(), "%llu", &value) == 1 ? static_cast<std::size_t>(value) : 0;
}

Result<Memory> Memory::obtain(std::size_t bytes, Pages pages, std::optional<int> node) {
  const bool huge = pages == Pages::huge;
  if (huge && huge_page_bytes() == 0)
    return failure("no huge pages: the kernel has none", "use --pages small");
  const std::size_t unit = huge ? huge_page_bytes() : small_page_bytes();
  if (bytes == 0 || bytes > SIZE_MAX / 4)
    return failure(fmt::format("no machine has {} bytes of memory", bytes));
  const std::size_t whole = rounded_up(bytes, unit);
  const std::size_t reserved = whole + 2 * unit;
  void* const start =
      ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    return os_failure(fmt::format("cannot map {} of memory", readable(whole)), errno,
                      "give a smaller --max-size, or raise the limit (ulimit -v)");
  Memory memory;
  memory.mapped_ = {static_cast<std::byte*>(start), reserved};
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t skip = rounded_up(address + 1, unit) - address;
  memory.usable_ = memory.mapped_.subspan(skip, whole);
  if (::mprotect(memory.usable_.data(), whole, PROT_READ | PROT_WRITE) != 0)
    return os_failure(fmt::format("cannot map {} of memory", readable(whole)), errno,
                      "give a smaller --max-size");
  if (node) TACHO_TRY(bind(memory.usable_, *node));
  if (!huge) ::madvise(memory.usable_.data(), whole, MADV_NOHUGEPAGE);  // EINVAL: there are none
  TACHO_TRY(huge ? make_huge(memory.usable_) : touch(memory.usable_));
  memory.page_bytes_ = unit;
  return memory;
}

std::size_t physical_pages(std::size_t virtual_pages) {
  const std::size_t words = small_page_bytes() / sizeof(void*);
  return (virtual_pages + words - 1) / words;
}

// The kernel does so when a process loses rights to two pages that are far enough apart.
void empty_tlb() {
  constexpr std::size_t kPages = kMemory.tlb_flush_pages;
  static const std::span<std::byte> pages = [] {
    const std::size_t bytes = kPages * small_page_bytes();
    void* const start =
        ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? std::span<std::byte>()
                               : std::span(static_cast<std::byte*>(start), bytes);
  }();
  if (pages.empty() || ::mprotect(pages.data(), pages.size(), PROT_READ | PROT_WRITE) != 0) return;
  for (volatile std::byte* const end : {&pages.front(), &pages.back()}) *end = std::byte{1};
  ::mprotect(pages.data(), pages.size(), PROT_READ);
}

Result<Memory> Memory::repeated(std::size_t pages) {
  const std::size_t page = small_page_bytes();
  const std::size_t shown = physical_pages(pages) * page;
  const std::size_t whole = rounded_up(pages * page, shown);
  const Fd file(::memfd_create("tacho-pages", MFD_CLOEXEC));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(shown)) != 0)
    return os_failure("cannot create memory that several pages show", errno);
  Memory memory;
  void* const start =
      ::mmap(nullptr, 2 * whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    return os_failure(fmt::format("cannot map {} of memory", readable(whole)), errno,
                      "raise the limit (ulimit -v)");
  memory.mapped_ = {static_cast<std::byte*>(start), 2 * whole};
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  memory.usable_ = memory.mapped_.subspan(rounded_up(address, whole) - address, whole);
  memory.page_bytes_ = page;
  for (std::size_t at = 0; at < whole; at += shown) {
    if (::mmap(memory.usable_.data() + at, shown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
               file.get(), 0) == MAP_FAILED)
      return os_failure("cannot map the same memory many times", errno, "raise vm.max_map_count");
    // In an order in which neighbouring pages do not get neighbouring memory.
    const std::size_t count = shown / page;
    for (std::size_t i = 0; i < count; ++i)
      *const_cast<volatile std::byte*>(memory.usable_.data() + at +
                                       i * kMemory.touch_stride % count * page) = std::byte{0};
  }
  return memory;
}

Memory::Memory(Memory&& other) noexcept
    : mapped_(std::exchange(other.mapped_, {})),
      usable_(std::exchange(other.usable_, {})),
      page_bytes_(other.page_bytes_) {}

Memory::~Memory() {
  if (!mapped_.empty()) ::munmap(mapped_.data(), mapped_.size());
}

}  // namespace tacho::chase
