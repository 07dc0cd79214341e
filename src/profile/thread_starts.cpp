#include "profile/thread_starts.hpp"

#include <algorithm>

namespace tacho {
namespace {

std::uint64_t& at(std::vector<std::uint64_t>& values, std::size_t index) {
  if (index >= values.size()) values.resize(index + 1);
  return values[index];
}

}  // namespace

double Unsampled::share(std::uint64_t sum) const {
  return starts > 0 ? std::min(1.0, starts / (static_cast<double>(sum) + missed)) : 0;
}

void ThreadStarts::begin(std::int32_t tid, std::int32_t parent_tid, std::uint64_t time_ns,
                         const perfdata::Description& recording) {
  end(tid, time_ns, recording);  // of an older thread with this number
  running_[tid].begun_ns = time_ns;
  // The parent's period may end with the new thread: what it did since the last one it began.
  const auto parent = running_.find(parent_tid);
  const std::uint64_t since = parent == running_.end() ? 0 : parent->second.begun_ns;
  std::uint64_t& last = begot_ns_[parent_tid];
  add({}, time_ns - std::min(time_ns, std::max(since, last)), recording);
  last = time_ns;
}

void ThreadStarts::end(std::int32_t tid, std::uint64_t time_ns,
                       const perfdata::Description& recording) {
  latest_ns_ = std::max(latest_ns_, time_ns);
  const auto found = running_.find(tid);
  if (found == running_.end()) return;
  count(found->second, time_ns, recording);
  running_.erase(found);
  begot_ns_.erase(tid);
}

void ThreadStarts::sample(std::int32_t tid, std::size_t event, std::uint64_t period) {
  std::uint64_t& longest = at(longest_, event);
  longest = std::max(longest, period);
  if (const auto found = running_.find(tid); found != running_.end() && period > 0)
    found->second.first.try_emplace(event, period);
}

void ThreadStarts::finish(std::uint64_t time_ns, const perfdata::Description& recording) {
  for (const auto& [tid, thread] : running_)
    count(thread, std::max(time_ns, latest_ns_), recording);
  running_.clear();
}

void ThreadStarts::count(const Running& thread, std::uint64_t ended_ns,
                         const perfdata::Description& recording) {
  add(thread.first, ended_ns - std::min(thread.begun_ns, ended_ns), recording);
  for (const std::size_t event : followed_) ++unsampled_[event].threads;
}

// Chooses the events of which something can be missing: not those whose every event is a sample,
// such as tracepoints. Each beginning of a thread takes a step for each of them, so there are at
// most as many as any recording has.
void ThreadStarts::follow(const perfdata::Description& recording) {
  constexpr std::size_t kMostFollowed = 256;
  for (; events_seen_ < recording.events.size(); ++events_seen_) {
    const perfdata::RecordedEvent& event = recording.events[events_seen_];
    const bool all_sampled = (!perfdata::is_clock(event) && perfdata::wanted_period(event) == 1) ||
                             event.tells_switches;  // they have records, whatever is sampled
    if (event.inherited && !all_sampled && followed_.size() < kMostFollowed)
      followed_.push_back(events_seen_);
  }
  unsampled_.resize(std::max(unsampled_.size(), recording.events.size()));
}

// A thread on a CPU counts at most as many nanoseconds as have passed.
void ThreadStarts::add(const std::map<std::size_t, std::uint64_t>& firsts, std::uint64_t elapsed_ns,
                       const perfdata::Description& recording) {
  follow(recording);
  for (const std::size_t i : followed_) {
    const perfdata::RecordedEvent& event = recording.events[i];
    const auto sampled = firsts.find(i);
    const std::uint64_t first = sampled == firsts.end() ? 0 : sampled->second;
    const std::uint64_t period =
        first > 0 ? first
                  : std::max({perfdata::wanted_period(event), at(longest_, i), std::uint64_t{1}});
    const std::uint64_t most =
        perfdata::is_clock(event) ? std::min(period, elapsed_ns) : period - 1;
    const auto start = static_cast<double>(most);
    Unsampled& unsampled = unsampled_[i];
    unsampled.starts += start;
    if (first == 0) unsampled.missed += start;
  }
}

}  // namespace tacho
