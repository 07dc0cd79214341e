// The memory that lists stand in, with pages of a size that is asked for and checked.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/result.hpp"

namespace tacho::chase {

enum class Pages { small, huge };

std::size_t small_page_bytes();
// Of transparent huge pages; 0 where the kernel has none.
std::size_t huge_page_bytes();

// Of memory that so many small pages show: there is a word for each that shows it.
std::size_t pages_shown(std::size_t pages);

// Empties the TLB. What was used before may stay in one that protects old entries from many new
// ones (an AMD EPYC of the fifth generation): for seconds, a third of a list's pages find no room
// beside them, and be it half as long as the TLB's reach.
void empty_tlb();

// Memory, touched, so that no page fault is left to come. Gives it back when destroyed.
class Memory {
 public:
  // `bytes` are rounded up to whole pages. With a `node`, it comes from this NUMA node alone. An
  // error when it can't be had, or not from there, and when huge pages were asked for and less than
  // 95 % of it has any.
  static Result<Memory> obtain(std::size_t bytes, Pages pages, std::optional<int> node = {});

  // So many small pages, or a few more, that all show the same pages_shown() of memory: walking
  // through them asks much of the TLB, and little of the caches.
  static Result<Memory> repeated(std::size_t pages);

  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  std::span<std::byte> bytes() const { return usable_; }
  // Of the pages that were really obtained, as the kernel tells. (A hypervisor may still back huge
  // ones with small ones of its own: only the translations' cost shows that.)
  std::size_t page_bytes() const { return page_bytes_; }

 private:
  Memory() = default;

  std::span<std::byte> mapped_;  // with a guard at both ends, so that no neighbour joins it
  std::span<std::byte> usable_;
  std::size_t page_bytes_ = 0;
};

}  // namespace tacho::chase
