#include "wall/thread_finder.hpp"

#include <algorithm>

namespace tacho {

ThreadFinder::ThreadFinder(std::span<const ThreadTimes> threads) : threads_(threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) of_number_[threads[i].tid].push_back(i);
}

std::optional<std::size_t> ThreadFinder::find(std::int32_t tid, std::uint64_t time_ns,
                                              std::optional<std::int32_t> pid) const {
  const auto found = of_number_.find(tid);
  if (found == of_number_.end()) return std::nullopt;
  const auto after = std::ranges::partition_point(
      found->second, [&](std::size_t i) { return threads_[i].begin_ns < time_ns; });
  // Only a damaged recording has a number in two processes at the same time.
  for (auto at = after; at != found->second.begin();) {
    const ThreadTimes& thread = threads_[*--at];
    if (pid && thread.pid != *pid) continue;
    if (thread.end_ns < time_ns) return std::nullopt;
    return *at;
  }
  return std::nullopt;
}

}  // namespace tacho
