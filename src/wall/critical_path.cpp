#include "wall/critical_path.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/hash_seed.hpp"
#include "wall/thread_finder.hpp"

namespace tacho {
namespace {

// Walks back in time. Each step ends where the one after it begins.
class PathWalk {
 public:
  PathWalk(std::span<const ThreadTimes> threads, std::span<const TimeOff> absences)
      : threads_(threads), absences_(absences), finder_(threads) {
    for (std::size_t i = 0; i < absences.size(); ++i) absences_of_[absences[i].tid].push_back(i);
  }

  std::vector<PathStep> operator()(std::size_t last) {
    const ThreadTimes* at = &threads_[last];
    std::uint64_t time = at->end_ns;
    std::uint64_t turned = ~std::uint64_t{0};  // when the path last came from another thread
    while (at != nullptr) {
      const std::size_t absence = last_before(at->tid, time);
      if (absence == kNone || absences_[absence].end_ns <= at->begin_ns) {
        add(*at, at->begin_ns, time, ThreadState::running);
        time = std::min(time, at->begin_ns);
        at = at->parent < 0 ? nullptr : alive(at->parent, time);
        continue;
      }
      const TimeOff& off = absences_[absence];
      add(*at, off.end_ns, time, ThreadState::running);
      time = std::min(time, off.end_ns);
      if (off.woken_ns && *off.woken_ns <= time) {
        add(*at, *off.woken_ns, time, ThreadState::ready, absence);
        time = *off.woken_ns;
        const ThreadTimes* const waker =
            off.waker == 0 || off.in_softirq ? nullptr : alive(off.waker, time);
        // Records that contradict each other could have two threads wake each other for ever.
        if (waker != nullptr && waker != at && time < turned && runs(waker->tid, time)) {
          at = waker;
          turned = time;
          continue;
        }
      }
      if (off.awaited && off.awaited->time_ns < time) {
        const ThreadTimes* const other = alive(off.awaited->tid, off.awaited->time_ns);
        if (other != nullptr && other != at && off.awaited->time_ns < turned) {
          add(*at, off.awaited->time_ns, time, off.state, absence);
          at = other;
          time = turned = off.awaited->time_ns;
          continue;
        }
      }
      add(*at, off.begin_ns, time, off.state, absence);
      time = std::min(time, off.begin_ns);
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void add(const ThreadTimes& thread, std::uint64_t begin, std::uint64_t end, ThreadState state,
           std::size_t absence = 0) {
    if (begin < end) steps_.push_back({thread.tid, begin, end, state, absence});
  }

  // The last absence of the thread that began before this time; kNone if there is none.
  std::size_t last_before(std::int32_t tid, std::uint64_t time) const {
    const auto found = absences_of_.find(tid);
    if (found == absences_of_.end()) return kNone;
    const auto after = std::ranges::partition_point(
        found->second, [&](std::size_t i) { return absences_[i].begin_ns < time; });
    return after == found->second.begin() ? kNone : *(after - 1);
  }

  bool runs(std::int32_t tid, std::uint64_t time) const {
    const std::size_t absence = last_before(tid, time);
    return absence == kNone || absences_[absence].end_ns <= time;
  }

  // The thread that had this number at this time; nullptr if no record shows one.
  const ThreadTimes* alive(std::int32_t tid, std::uint64_t time) const {
    const auto found = finder_.find(tid, time);
    return found ? &threads_[*found] : nullptr;
  }

  std::span<const ThreadTimes> threads_;
  std::span<const TimeOff> absences_;
  ThreadFinder finder_;
  // By tid, in the order of time.
  std::unordered_map<std::int32_t, std::vector<std::size_t>, NumberHash> absences_of_;
  std::vector<PathStep> steps_;
};

}  // namespace

std::vector<PathStep> critical_path(std::span<const ThreadTimes> threads,
                                    std::span<const TimeOff> absences, std::size_t last) {
  return PathWalk(threads, absences)(last);
}

}  // namespace tacho
