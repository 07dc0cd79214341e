// Sorts records by time. The kernel has several buffers, and a recorder writes one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

// perf empties all buffers in rounds and marks the end of each round. The records of a round are
// later than all records of the round before the last one. So at the end of a round the queue
// releases all records up to the latest time of the round before. A recording without rounds would
// have to wait for its end: if the queue is full, it releases the earlier half. A record that comes
// too late is then out of order.
class TimeQueue {
 public:
  struct Item {
    std::uint64_t time;
    std::uint64_t offset;  // in the file
    const std::byte* bytes;
    std::uint32_t size;
    std::uint32_t block;
  };

  // Bytes of records and items. With the reserve of the vectors, the queue takes at most 64 MiB.
  static constexpr std::size_t kCapacity = std::size_t{48} << 20;
  explicit TimeQueue(std::size_t capacity = kCapacity) : capacity_(capacity) {}

  // Copies the record. May be called only after next() returned nullptr.
  void add(std::uint64_t time, Bytes record, std::uint64_t offset);
  void end_round();
  void end();  // releases all records

  // Returns the next released record, or nullptr if there is none. Valid until the next call.
  const Item* next();

 private:
  static constexpr std::size_t kBlock = std::size_t{128} << 10;
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t used = 0;
    std::size_t live = 0;  // items that still point into this block
  };

  std::byte* store(Bytes record);
  void drop_item_of(std::uint32_t block);
  void sort();
  void release(std::uint64_t until);

  std::size_t capacity_;
  std::vector<Item> items_;         // sorted up to released_; after it in sorted runs
  std::vector<Item> scratch_;       // for merging
  std::vector<std::size_t> runs_;   // where each run of rising times begins
  std::size_t at_ = 0;              // the next item
  std::size_t released_ = 0;        // one past the last released item
  std::uint64_t latest_ = 0;        // the latest time of all items so far
  std::uint64_t round_before_ = 0;  // the latest time at the end of the last round
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> free_;  // blocks without items
  std::uint32_t filling_ = 0;        // the block that store() appends to
};

}  // namespace tacho::perfdata
