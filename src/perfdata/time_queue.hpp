// Puts records that several buffers wrote one after the other into the order of their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

// perf empties the kernel's buffers round by round, and marks each round's end: what a round brings
// is later than all that the round before the last one brought. So a round's end lets go what is
// not later than the round before. A recording without rounds would wait for its end: when the
// queue is full, it lets the earlier half go, and what is late then comes out of order.
class TimeQueue {
 public:
  struct Item {
    std::uint64_t time;
    std::uint64_t offset;  // in the file
    const std::byte* bytes;
    std::uint32_t size;
    std::uint32_t block;
  };

  // With what its vectors keep in reserve, the queue stays within 64 MB.
  static constexpr std::size_t kCapacity = std::size_t{48} << 20;
  explicit TimeQueue(std::size_t capacity = kCapacity) : capacity_(capacity) {}

  // Copies the record. Only when next() has nothing.
  void add(std::uint64_t time, Bytes record, std::uint64_t offset);
  void end_round();
  void end();  // lets everything go

  // The next one that is let go; nullptr when none is. Valid until the next call.
  const Item* next();

 private:
  static constexpr std::size_t kBlock = std::size_t{128} << 10;
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t used = 0;
    std::size_t live = 0;  // items that still point into it
  };

  std::byte* store(Bytes record);
  void release(std::uint32_t block);
  void sort();
  void let_go(std::uint64_t until);

  std::size_t capacity_;
  std::vector<Item> items_;         // let go up to let_go_; sorted before, in runs behind
  std::vector<Item> scratch_;       // for merging
  std::vector<std::size_t> runs_;   // where each run of rising times begins
  std::size_t at_ = 0;              // the next item
  std::size_t let_go_ = 0;          // behind the last item that may go
  std::uint64_t latest_ = 0;        // of all items so far
  std::uint64_t round_before_ = 0;  // the latest of the last round
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> free_;  // blocks that nothing points into
  std::uint32_t filling_ = 0;
};

}  // namespace tacho::perfdata
