// The ring buffer that the kernel fills with samples (perf_event_open(2), "MMAP layout").
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tacho {

class Ring {
 public:
  // Maps the buffer of an event: so many bytes, a power of two, or less if the user's limit does
  // not allow that. Half of it must last until the reader has a CPU.
  static Result<Ring> map(int fd, std::size_t bytes);

  // The whole records since the last release(). They are valid until the next release().
  std::span<const std::byte> records();
  void release();

 private:
  struct Unmap {
    std::size_t size;
    void operator()(void* page) const;
  };
  Ring(void* page, std::size_t page_size, std::size_t size)
      : page_(page, {page_size + size}), page_size_(page_size), size_(size) {}

  std::unique_ptr<void, Unmap> page_;  // struct perf_event_mmap_page, then the data
  std::size_t page_size_;
  std::size_t size_;                 // of the data in bytes: a power of two
  unsigned long seen_ = 0;           // end of the records that records() returned; it wraps around
  unsigned long taken_ = 0;          // end of the records that were released; it wraps around
  std::vector<std::byte> straight_;  // a copy in one piece, if the records wrap around the end
};

}  // namespace tacho
