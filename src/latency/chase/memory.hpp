// Memory for lists, on pages of a size that is requested and checked.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/result.hpp"

namespace tacho::chase {

enum class Pages { small, huge };

std::size_t small_page_bytes();
// Of transparent huge pages; 0 if the kernel has none.
std::size_t huge_page_bytes();

// Number of physical pages behind so many aliased virtual pages. Each alias has a word of its own.
std::size_t physical_pages(std::size_t virtual_pages);

// Empties the TLB. Some TLBs (an AMD EPYC of the fifth generation) protect old entries from many
// new ones. There a third of a list's pages find no room for seconds, even if the list has half as
// many pages as the TLB has entries.
void empty_tlb();

// Memory that was touched, so that no page fault is left. The destructor returns it to the kernel.
class Memory {
 public:
  // `bytes` are rounded up to whole pages. With a `node`, the memory comes from this NUMA node
  // alone. An error if the kernel does not give it, or if huge pages were requested and less than
  // 95 % of it is in huge pages.
  static Result<Memory> obtain(std::size_t bytes, Pages pages, std::optional<int> node = {});

  // So many small virtual pages, or a few more, that show the same few physical_pages(). A walk
  // through them needs many entries of the TLB, and little of the caches.
  static Result<Memory> repeated(std::size_t pages);

  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  std::span<std::byte> bytes() const { return usable_; }
  // Size of the pages that were really obtained, according to the kernel. A hypervisor may still
  // back huge pages with small ones of its own; only the cost of translations shows that.
  std::size_t page_bytes() const { return page_bytes_; }

 private:
  Memory() = default;

  std::span<std::byte> mapped_;  // with a guard at both ends: no other mapping can join it
  std::span<std::byte> usable_;
  std::size_t page_bytes_ = 0;
};

}  // namespace tacho::chase
