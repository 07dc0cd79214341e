#include "wall/report/thread_order.hpp"

#include <algorithm>
#include <cstdint>

namespace tacho {

std::vector<std::size_t> thread_order(const WallSummary& summary) {
  std::vector<std::size_t> order(summary.threads.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) {
    const ThreadTimes& times = summary.threads[i].times;
    return summary.has_running_samples ? times.running_ns : times.waiting_ns;
  });
  return order;
}

}  // namespace tacho
