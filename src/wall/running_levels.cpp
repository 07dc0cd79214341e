#include "wall/running_levels.hpp"

#include <algorithm>
#include <utility>

namespace tacho {
namespace {

// The first level after this time.
auto after(std::span<const RunningLevel> levels, std::uint64_t time_ns) {
  return std::ranges::upper_bound(levels, time_ns, {}, &RunningLevel::from_ns);
}

}  // namespace

std::vector<RunningLevel> running_levels(std::span<const ThreadTimes> threads,
                                         std::span<const TimeOff> absences) {
  std::vector<std::pair<std::uint64_t, int>> steps;  // a time, and how many threads more run
  steps.reserve(2 * (threads.size() + absences.size()));
  const auto add = [&](std::uint64_t begin_ns, std::uint64_t end_ns, int threads_more) {
    if (begin_ns >= end_ns) return;
    steps.emplace_back(begin_ns, threads_more);
    steps.emplace_back(end_ns, -threads_more);
  };
  for (const ThreadTimes& thread : threads) add(thread.begin_ns, thread.end_ns, 1);
  for (const TimeOff& off : absences) add(off.begin_ns, off.end_ns, -1);
  std::ranges::sort(steps);
  std::vector<RunningLevel> levels;
  std::int64_t running = 0;
  for (const auto& [time, more] : steps) {
    running += more;
    if (levels.empty() || levels.back().from_ns != time) levels.push_back({.from_ns = time});
    levels.back().running = static_cast<std::size_t>(std::max<std::int64_t>(running, 0));
  }
  return levels;
}

std::size_t running_at(std::span<const RunningLevel> levels, std::uint64_t time_ns) {
  const auto next = after(levels, time_ns);
  return next == levels.begin() ? 0 : (next - 1)->running;
}

void add_time_by_level(std::span<const RunningLevel> levels, std::uint64_t from_ns,
                       std::uint64_t to_ns, std::vector<std::uint64_t>& time_by_level) {
  auto next = after(levels, from_ns);
  for (std::uint64_t time = from_ns; time < to_ns; ++next) {
    const std::size_t running = next == levels.begin() ? 0 : (next - 1)->running;
    const std::uint64_t end = next == levels.end() ? to_ns : std::min(to_ns, next->from_ns);
    if (running >= time_by_level.size()) time_by_level.resize(running + 1);
    time_by_level[running] += end - time;
    time = end;
    if (next == levels.end()) break;
  }
}

}  // namespace tacho
