// Finds threads by their number and a time, because numbers are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/hash_seed.hpp"
#include "wall/thread_states.hpp"

namespace tacho {

class ThreadFinder {
 public:
  // Sorted by beginning. They must outlive this object.
  explicit ThreadFinder(std::span<const ThreadTimes> threads);
  // The index of the thread with this number that had begun before this time, and had not ended.
  // `pid`: of this process.
  std::optional<std::size_t> find(std::int32_t tid, std::uint64_t time_ns,
                                  std::optional<std::int32_t> pid = {}) const;

 private:
  std::span<const ThreadTimes> threads_;
  std::unordered_map<std::int32_t, std::vector<std::size_t>, NumberHash> of_number_;
};

}  // namespace tacho
