#include "wall/thread_finder.hpp"

#include <algorithm>

namespace tacho {

ThreadFinder::ThreadFinder(std::span<const ThreadTimes> threads) : threads_(threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) of_number_[threads[i].tid].push_back(i);
}

std::optional<std::size_t> ThreadFinder::find(std::int32_t tid, std::uint64_t time_ns) const {
  const auto found = of_number_.find(tid);
  if (found == of_number_.end()) return std::nullopt;
  const auto after = std::ranges::partition_point(
      found->second, [&](std::size_t i) { return threads_[i].begin_ns < time_ns; });
  if (after == found->second.begin()) return std::nullopt;
  const std::size_t last = *(after - 1);
  if (threads_[last].end_ns < time_ns) return std::nullopt;
  return last;
}

}  // namespace tacho
