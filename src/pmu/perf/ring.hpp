// The buffer that the kernel and a reader of samples share (perf_event_open(2), "MMAP layout").
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tacho {

class Ring {
 public:
  // Maps the buffer of an event: 512 KiB, or as much as a user without privileges still may.
  static Result<Ring> map(int fd);

  // What has come since the last release(): whole records, valid until then.
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
  std::size_t size_;                 // of the data: a power of two
  unsigned long seen_ = 0;           // where the records end that were handed out,
  unsigned long taken_ = 0;          // and those that were released: positions that wrap round
  std::vector<std::byte> straight_;  // records that go round the end, one behind the other
};

}  // namespace tacho
