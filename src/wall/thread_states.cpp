#include "wall/thread_states.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tacho {
namespace {

using perfdata::Command, perfdata::Exit, perfdata::Fork, perfdata::Sample, perfdata::Switch;

std::uint64_t& time_in(ThreadTimes& times, ThreadState state) {
  switch (state) {
    case ThreadState::running:
      return times.running_ns;
    case ThreadState::ready:
      return times.ready_ns;
    case ThreadState::waiting:
      return times.waiting_ns;
    case ThreadState::unknown:
      break;
  }
  return times.unknown_ns;
}

// The kernel's idle threads are no threads of a program: they all have the number 0.
constexpr std::int32_t kIdle = 0;

}  // namespace

ThreadStates::Thread& ThreadStates::thread(std::int32_t pid, std::int32_t tid) {
  const auto [found, is_new] = live_.try_emplace({pid, tid});
  Thread& thread = found->second;
  if (is_new) {
    thread.times = {.pid = pid, .tid = tid};
    thread.losses = losses_;
  }
  return thread;
}

// When the last thread of this number ended; 0 if none did.
std::uint64_t ThreadStates::ended_at(std::int32_t tid) const {
  const auto found = ended_at_.find(tid);
  return found == ended_at_.end() ? 0 : found->second;
}

void ThreadStates::set(Thread& thread, std::uint64_t time, ThreadState state) {
  if (thread.now == ThreadState::running) --running_now_;
  if (state == ThreadState::running) ++running_now_;
  thread.now = state;
  thread.since_ns = time;
  thread.seen = true;
  thread.losses = losses_;
}

// Time goes on: as many threads as now have run until then.
void ThreadStates::pass(std::uint64_t time) {
  if (!begin_ns_) begin_ns_ = last_ns_ = time;
  if (time <= *last_ns_) return;
  if (running_now_ >= time_at_.size()) time_at_.resize(running_now_ + 1);
  time_at_[running_now_] += time - *last_ns_;
  last_ns_ = time;
}

std::optional<TimeOff> ThreadStates::change(Thread& thread, std::uint64_t time, bool was_running,
                                            ThreadState after) {
  ThreadState before = thread.now;
  if (!thread.seen)
    thread.since_ns = thread.times.begin_ns = std::max(*begin_ns_, ended_at(thread.times.tid));
  if (!thread.seen)
    before = was_running ? ThreadState::running : ThreadState::waiting;
  else if ((before == ThreadState::running) != was_running)
    before = ThreadState::unknown;
  if (thread.losses != losses_) before = ThreadState::unknown;
  const std::uint64_t since = thread.since_ns;
  const bool by_switch = std::exchange(thread.switched_out, false);
  time = std::max(time, since);
  time_in(thread.times, before) += time - since;
  set(thread, time, after);
  if (before != ThreadState::ready && before != ThreadState::waiting) return std::nullopt;
  return TimeOff{.pid = thread.times.pid,
                 .tid = thread.times.tid,
                 .begin_ns = since,
                 .end_ns = time,
                 .state = before,
                 .by_switch = by_switch};
}

void ThreadStates::begin(std::int32_t pid, std::int32_t tid, std::uint64_t time,
                         ThreadState state) {
  if (const auto old = live_.find({pid, tid}); old != live_.end()) {  // whose end was lost
    old->second.times.unknown_ns += time - std::min(time, old->second.since_ns);
    end(old, time);
  }
  Thread& made = thread(pid, tid);
  made.times.begin_ns = time;
  set(made, time, state);
}

void ThreadStates::end(Threads::iterator at, std::uint64_t time) {
  Thread& thread = at->second;
  if (thread.now == ThreadState::running) --running_now_;
  thread.times.end_ns = std::max(time, thread.times.begin_ns);
  if (thread.seen) ended_.push_back(thread.times);
  ended_at_[thread.times.tid] = time;
  live_.erase(at);
}

// The program is replaced. If a thread that was not the first did it, it now has the first one's
// number, and its own number ends without a record.
void ThreadStates::exec(std::int32_t pid, std::int32_t tid, std::uint64_t time) {
  const auto known = live_.find({pid, tid});
  const bool is_new = known == live_.end() || !known->second.seen;
  if (!is_new && known->second.now == ThreadState::running) return;
  for (auto at = live_.lower_bound({pid, 0}); at != live_.end() && at->first.first == pid;) {
    const auto each = at++;
    if (each->first.second == tid || !each->second.seen) continue;
    change(each->second, time, true, ThreadState::unknown);
    end(each, time);
  }
  begin(pid, tid, time, ThreadState::running);
}

std::optional<TimeOff> ThreadStates::add(const perfdata::Record& record, bool of_switch) {
  const std::uint64_t time = record.time_ns.value_or(0);
  const auto* command = std::get_if<Command>(&record.what);
  // The recorder describes the threads that are there already by names without a time.
  if (time == 0 && command != nullptr && command->tid != kIdle) thread(command->pid, command->tid);
  if (time == 0) return std::nullopt;
  pass(time);
  if (const auto* lost = std::get_if<perfdata::Lost>(&record.what);
      lost != nullptr && lost->count > 0)
    ++losses_;
  if (const auto* sample = std::get_if<Sample>(&record.what)) {
    if (!sample->tid || *sample->tid == kIdle) return std::nullopt;
    Thread& of = thread(sample->pid.value_or(-1), *sample->tid);
    // The kernel takes the sample of a switch just before its record.
    if (!of_switch && of.now != ThreadState::running) change(of, time, true, ThreadState::running);
    return std::nullopt;
  }
  if (const auto* moved = std::get_if<Switch>(&record.what)) {
    if (moved->tid == kIdle) return std::nullopt;
    const ThreadState off = moved->preempted ? ThreadState::ready : ThreadState::waiting;
    Thread& of = thread(moved->pid, moved->tid);
    const auto absence = change(of, time, moved->out, moved->out ? off : ThreadState::running);
    of.switched_out = moved->out;
    return absence;
  }
  if (const auto* fork = std::get_if<Fork>(&record.what)) {
    begin(fork->pid, fork->tid, time, ThreadState::ready);
  } else if (command != nullptr) {
    if (command->exec) exec(command->pid, command->tid, time);
  } else if (const auto* exit = std::get_if<Exit>(&record.what)) {
    if (const auto found = live_.find({exit->pid, exit->tid}); found != live_.end()) {
      change(found->second, time, true, ThreadState::unknown);
      end(found, time);
    }
  }
  return std::nullopt;
}

std::vector<TimeOff> ThreadStates::finish(bool with_unseen, perfdata::OptionalU64 end_ns) {
  std::vector<TimeOff> open;
  if (end_ns) pass(*end_ns);
  const std::uint64_t time = last_ns_.value_or(0);
  for (; !live_.empty(); end(live_.begin(), time)) {
    Thread& last = live_.begin()->second;
    if (!begin_ns_ || (!last.seen && !with_unseen)) continue;
    if (const auto absence =
            change(last, time, last.now == ThreadState::running, ThreadState::unknown))
      open.push_back(*absence);
  }
  std::ranges::sort(open, {}, &TimeOff::begin_ns);
  std::ranges::stable_sort(
      ended_, {}, [](const ThreadTimes& each) { return std::pair(each.begin_ns, each.tid); });
  return open;
}

}  // namespace tacho
