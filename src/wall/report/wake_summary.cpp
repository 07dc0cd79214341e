#include "wall/report/wake_summary.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "wall/report/sampled_lengths.hpp"

namespace tacho {
namespace {

std::string thread_name(const Profile& profile, std::int32_t tid) {
  const std::string name = profile.name_of(tid);
  return name.empty() ? fmt::format("thread {}", tid) : name;
}

// The times off the CPU in one state on the critical path of which only some were sampled.
struct PathTotals {
  std::uint64_t all_ns = 0;
  AbsenceSum sampled;
};

}  // namespace

std::vector<WakeUps> summarize_wake_ups(const Profile& profile, const WallReader& reader,
                                        WallPlaces& places) {
  std::map<std::tuple<std::optional<std::size_t>, std::string, std::vector<FunctionId>, bool>,
           AbsenceSum>
      sums;
  AbsenceSum sampled;
  std::uint64_t others_ns = 0;  // of which only some were sampled
  for (const TimeOff& off : reader.absences()) {
    const double weight = off.by_switch ? reader.weight_at(off.begin_ns) : 1;
    const std::uint64_t window = window_of(off.begin_ns);
    const auto place = places.place_of(off, false);
    if (off.awaited) {
      const std::uint64_t length_ns = off.awaited->time_ns - off.begin_ns;
      if (place)
        sums[{place, thread_name(profile, off.awaited->tid), {}, true}].add(length_ns, 1, window);
      continue;
    }
    if (!off.woken_ns) continue;
    const std::uint64_t length_ns = *off.woken_ns - off.begin_ns;
    const auto waker = places.node_of(weight == 1 ? WallEvent::waker : WallEvent::some_waker,
                                      *off.woken_ns, off.waker);
    if (weight != 1) others_ns += length_ns;
    if (!waker && weight != 1) continue;  // others stand for it
    if (weight != 1) sampled.add(length_ns, weight, window);
    sums[{place, off.waker == 0 ? "" : thread_name(profile, off.waker),
          waker ? places.functions(*waker) : std::vector<FunctionId>(), false}]
        .add(length_ns, weight, window);
  }
  std::vector<WakeUps> rows;
  for (const auto& [key, sum] : sums) {
    const auto& [place, thread, ids, by_end] = key;
    rows.push_back({place, thread, by_end, places.names(ids),
                    sum.sum(static_cast<double>(others_ns), sampled)});
  }
  return rows;
}

CriticalPath summarize_path(std::span<const PathStep> path, const Profile& profile,
                            const WallReader& reader, WallPlaces& places) {
  std::map<std::tuple<ThreadState, std::optional<std::size_t>, std::string>, AbsenceSum> parts;
  std::map<ThreadState, PathTotals> totals;
  CriticalPath whole;
  for (const PathStep& step : path) {
    const std::string thread = thread_name(profile, step.tid);
    const std::uint64_t window = window_of(step.begin_ns);
    whole.total_ns += step.length_ns();
    if (step.state == ThreadState::running) {
      parts[{step.state, std::nullopt, thread}].add(step.length_ns(), 1, window);
      continue;
    }
    const TimeOff& off = reader.absences()[step.absence];
    if (step.state == ThreadState::waiting && !off.woken_ns && !off.awaited)
      whole.outside_ns += step.length_ns();
    const auto place = places.place_of(off, off.state != step.state);
    const double weight = off.by_switch ? reader.weight_at(off.begin_ns) : 1;
    PathTotals& total = totals[step.state];
    if (weight != 1) total.all_ns += step.length_ns();
    if (!place) continue;
    if (weight != 1) total.sampled.add(step.length_ns(), weight, window);
    parts[{step.state, place, thread}].add(step.length_ns(), weight, window);
  }
  for (const auto& [key, sum] : parts) {
    const auto& [state, place, thread] = key;
    const PathTotals& total = totals[state];
    whole.parts.push_back(
        {state, place, thread, sum.sum(static_cast<double>(total.all_ns), total.sampled)});
  }
  for (const auto& [state, total] : totals) {
    if (total.sampled.some_ns() > 0 || total.all_ns == 0) continue;
    AbsenceSum unknown;
    unknown.add(total.all_ns, 1, 0);
    whole.parts.push_back({state, std::nullopt, "", unknown.sum()});
  }
  return whole;
}

}  // namespace tacho
