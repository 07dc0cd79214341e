#include "wall/states_in_time.hpp"

#include <algorithm>
#include <map>

namespace tacho {
namespace {

using ThreadId = std::pair<std::int32_t, std::int32_t>;  // pid, tid

// Threads, those that ran longest first. A program that another one replaced is the same thread.
std::vector<ThreadId> by_running_time(std::span<const ThreadTimes> threads) {
  std::map<ThreadId, std::uint64_t> running_ns;
  for (const ThreadTimes& each : threads) running_ns[{each.pid, each.tid}] += each.running_ns;
  std::vector<ThreadId> order;
  for (const auto& [thread, ns] : running_ns) order.push_back(thread);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](const ThreadId& thread) { return running_ns.at(thread); });
  return order;
}

}  // namespace

StatesInTime states_in_time(std::span<const ThreadTimes> threads, std::span<const TimeOff> absences,
                            const TimeGrid& grid, std::size_t most) {
  StatesInTime made;
  std::map<ThreadId, std::size_t> row_of;
  for (const ThreadId& thread : by_running_time(threads)) {
    row_of[thread] = std::min(row_of.size(), most);
    if (row_of.size() <= most)
      made.rows.push_back({.thread = thread, .slices = std::vector<StateTimes>(grid.slices)});
    else
      ++made.others;
  }
  if (made.others > 0)
    made.rows.push_back({.thread = {}, .slices = std::vector<StateTimes>(grid.slices)});
  const auto add = [&](const ThreadId& thread, std::uint64_t begin_ns, std::uint64_t end_ns,
                       ThreadState state, std::uint64_t sign) {
    StatesInTime::Row& row = made.rows[row_of.at(thread)];
    const auto number = static_cast<std::size_t>(state);
    grid.each_slice(begin_ns, end_ns, [&](std::uint32_t slice, std::uint64_t ns) {
      row.slices[slice].at(number) += sign * ns;
      row.times.at(number) += sign * ns;
    });
  };
  // First as if all ran all the time. Unsigned numbers wrap around, and their sums are right.
  constexpr std::uint64_t kMore = 1, kLess = ~std::uint64_t{0};
  for (const ThreadTimes& each : threads)
    add({each.pid, each.tid}, each.begin_ns, each.end_ns, ThreadState::running, kMore);
  for (const TimeOff& off : absences) {
    const ThreadId thread{off.pid, off.tid};
    if (!row_of.contains(thread)) continue;
    add(thread, off.begin_ns, off.end_ns, ThreadState::running, kLess);
    add(thread, off.begin_ns, off.woken_or_end_ns(), off.state, kMore);
    add(thread, off.woken_or_end_ns(), off.end_ns, ThreadState::ready, kMore);
  }
  return made;
}

}  // namespace tacho
