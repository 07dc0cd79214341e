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

// The kernel's idle threads are no threads of a program: they all have the number 0. A thread that
// the kernel has already removed has -1.
bool is_nobody(std::int32_t tid) {
  return tid <= 0;
}

}  // namespace

ThreadStates::Thread& ThreadStates::thread(std::int32_t pid, std::int32_t tid) {
  const auto [found, is_new] = live_.try_emplace({pid, tid});
  Thread& thread = found->second;
  if (is_new) {
    thread.times.pid = pid;
    thread.times.tid = tid;
    pid_of_[tid] = pid;
    thread.lost = lost_;
    thread.start_was_lost = lost_ > 0;
  }
  return thread;
}

// Whether the thread has ended. It may still run in the kernel for a while, and be preempted there.
// A thread that uses its number again begins with a record, unless that was lost.
bool ThreadStates::is_leaving(std::int32_t tid) const {
  const auto ended = ended_at_.find(tid);
  return find(tid) == nullptr && ended != ended_at_.end() && ended->second >= last_loss_ns_;
}

// Nullptr if no record named it.
const ThreadStates::Thread* ThreadStates::find(std::int32_t tid) const {
  const auto pid = pid_of_.find(tid);
  if (pid == pid_of_.end()) return nullptr;
  const auto found = live_.find({pid->second, tid});
  return found == live_.end() ? nullptr : &found->second;
}

bool ThreadStates::waits(std::int32_t tid) const {
  const Thread* const thread = find(tid);
  if (thread == nullptr || may_have_lost(*thread)) return false;
  return !thread->seen || thread->now == ThreadState::waiting;
}

bool ThreadStates::is_seen(std::int32_t tid) const {
  const Thread* const thread = find(tid);
  return thread != nullptr && (thread->seen || may_have_lost(*thread));
}

void ThreadStates::was_runnable(std::int32_t tid, bool runnable) {
  if (find(tid) != nullptr && !is_seen(tid)) thread(pid_of_.at(tid), tid).runnable = runnable;
}

void ThreadStates::wake(std::int32_t tid, std::uint64_t time, std::int32_t waker, bool in_softirq) {
  if (!waits(tid)) return;
  pass(time);
  Thread& woken = thread(pid_of_.at(tid), tid);
  if (woken.woken_ns) return;
  woken.woken_ns = time;
  woken.waker = waker;
  woken.in_softirq = in_softirq;
}

// When the last thread of this number ended; 0 if none did.
std::uint64_t ThreadStates::ended_at(std::int32_t tid) const {
  const auto found = ended_at_.find(tid);
  return found == ended_at_.end() ? 0 : found->second;
}

std::optional<TimeOff::EndOfOther> ThreadStates::awaited(const TimeOff& off) const {
  constexpr std::uint64_t kSoon = 1'000'000'000;  // ns: while the kernel frees its memory
  if (off.state != ThreadState::waiting) return std::nullopt;
  if (off.woken_ns) {
    const std::uint64_t time = ended_at(off.waker);
    if (find(off.waker) != nullptr || time < off.begin_ns || time > *off.woken_ns)
      return std::nullopt;
    return TimeOff::EndOfOther{.tid = off.waker, .time_ns = time, .is_inferred = false};
  }
  const auto last = last_end_.find(off.pid);
  if (last == last_end_.end()) return std::nullopt;
  const std::uint64_t time = last->second.time_ns;
  if (time < off.begin_ns || time > off.end_ns || off.end_ns - time > kSoon) return std::nullopt;
  return last->second;
}

void ThreadStates::set(Thread& thread, std::uint64_t time, ThreadState state) const {
  thread.now = state;
  thread.since_ns = time;
  thread.seen = true;
  thread.lost = lost_;
}

void ThreadStates::pass(std::uint64_t time) {
  if (!begin_ns_) begin_ns_ = last_ns_ = time;
  last_ns_ = std::max(*last_ns_, time);
}

std::optional<TimeOff> ThreadStates::change(Thread& thread, std::uint64_t time, bool was_running,
                                            ThreadState after) {
  ThreadState before = thread.now;
  if (!thread.seen)
    thread.since_ns = thread.times.begin_ns =
        thread.start_was_lost ? time : std::max(*begin_ns_, ended_at(thread.times.tid));
  if (!thread.seen)
    before = was_running       ? ThreadState::running
             : thread.runnable ? ThreadState::ready
                               : ThreadState::waiting;
  else if ((before == ThreadState::running) != was_running)
    before = ThreadState::unknown;
  if (may_have_lost(thread)) before = ThreadState::unknown;
  const std::uint64_t since = thread.since_ns;
  TimeOff absence{.pid = thread.times.pid,
                  .tid = thread.times.tid,
                  .begin_ns = since,
                  .end_ns = std::max(time, since),
                  .state = before,
                  .by_switch = std::exchange(thread.switched_out, false),
                  .woken_ns = std::exchange(thread.woken_ns, std::nullopt),
                  .waker = thread.waker,
                  .in_softirq = thread.in_softirq};
  if (before != ThreadState::waiting) absence.woken_ns.reset();
  if (absence.woken_ns) absence.woken_ns = std::clamp(*absence.woken_ns, since, absence.end_ns);
  time_in(thread.times, before) += absence.woken_or_end_ns() - since;
  thread.times.ready_ns += absence.end_ns - absence.woken_or_end_ns();
  set(thread, absence.end_ns, after);
  if (before == ThreadState::unknown && absence.length_ns() > 0) unknown_.push_back(absence);
  if (before == ThreadState::running || before == ThreadState::unknown) return std::nullopt;
  absence.awaited = awaited(absence);
  return absence;
}

ThreadStates::Thread& ThreadStates::begin(std::int32_t pid, std::int32_t tid, std::uint64_t time,
                                          ThreadState state) {
  if (const auto old = live_.find({pid, tid}); old != live_.end()) {  // whose end was lost
    Thread& lost = old->second;
    const bool contradicts = lost.now != ThreadState::running;
    if (lost.seen) change(lost, time, contradicts, ThreadState::unknown);
    end(old, time);
  }
  Thread& made = thread(pid, tid);
  made.times.begin_ns = time;
  set(made, time, state);
  return made;
}

void ThreadStates::end(Threads::iterator at, std::uint64_t time) {
  Thread& thread = at->second;
  thread.times.end_ns = std::max(time, thread.times.begin_ns);
  if (thread.seen) ended_.push_back(std::move(thread.times));
  ended_at_[at->first.second] = time;
  pid_of_.erase(at->first.second);
  live_.erase(at);
}

// The program is replaced. If a thread that was not the first did it, it now has the first one's
// number, and its own number ends without a record.
void ThreadStates::exec(std::int32_t pid, std::int32_t tid, std::uint64_t time) {
  const auto known = live_.find({pid, tid});
  const bool is_new = known == live_.end() || !known->second.seen;
  if (!is_new && known->second.now == ThreadState::running) return;
  std::int32_t by = -1;
  for (auto at = live_.lower_bound({pid, 0}); at != live_.end() && at->first.first == pid;) {
    const auto each = at++;
    if (each->first.second == tid || !each->second.seen) continue;
    if (each->second.now == ThreadState::running) by = each->first.second;
    change(each->second, time, true, ThreadState::unknown);
    end(each, time);
  }
  begin(pid, tid, time, ThreadState::running).times.parent = by;
}

std::optional<TimeOff> ThreadStates::add(const perfdata::Record& record, bool of_switch) {
  std::uint64_t time = record.time_ns.value_or(0);
  const auto* command = std::get_if<Command>(&record.what);
  // The recorder describes the threads that are there already by names without a time.
  if (time == 0 && command != nullptr && !is_nobody(command->tid))
    thread(command->pid, command->tid).times.name = command->name;
  if (time == 0) return std::nullopt;
  pass(time);
  // Events are turned on one by one. What happened before all were on is no part of the recording.
  time = std::max(time, *begin_ns_);
  if (const auto* lost = std::get_if<perfdata::Lost>(&record.what);
      lost != nullptr && lost->count > 0) {
    lost_ += lost->count;
    last_loss_ns_ = time;
  }
  if (const auto* sample = std::get_if<Sample>(&record.what)) {
    // The kernel takes the sample of a switch just before its record.
    if (!sample->tid || is_nobody(*sample->tid) || of_switch) return std::nullopt;
    if (is_leaving(*sample->tid)) return std::nullopt;
    Thread& of = thread(sample->pid.value_or(-1), *sample->tid);
    if (of.now != ThreadState::running) change(of, time, true, ThreadState::running);
    return std::nullopt;
  }
  if (const auto* moved = std::get_if<Switch>(&record.what)) {
    if (is_nobody(moved->tid) || is_leaving(moved->tid)) return std::nullopt;
    const ThreadState off = moved->preempted ? ThreadState::ready : ThreadState::waiting;
    Thread& of = thread(moved->pid, moved->tid);
    const auto absence = change(of, time, moved->out, moved->out ? off : ThreadState::running);
    of.switched_out = moved->out;
    return absence;
  }
  if (const auto* fork = std::get_if<Fork>(&record.what)) {
    const Thread* const parent = find(fork->parent_tid);
    const std::string name = parent == nullptr ? std::string() : parent->times.name;
    ThreadTimes& times = begin(fork->pid, fork->tid, time, ThreadState::ready).times;
    times.parent = fork->parent_tid;
    times.name = name;
  } else if (command != nullptr) {
    if (command->exec) exec(command->pid, command->tid, time);
    const auto known = live_.find({command->pid, command->tid});
    if (known != live_.end()) known->second.times.name = command->name;
  } else if (const auto* exit = std::get_if<Exit>(&record.what)) {
    const bool is_process = exit->pid == exit->tid;
    last_end_[is_process ? exit->parent_pid : exit->pid] = {exit->tid, time, is_process};
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
    const bool runs = last.seen ? last.now == ThreadState::running : last.runnable;
    if (const auto absence = change(last, time, runs, ThreadState::unknown))
      open.push_back(*absence);
  }
  std::ranges::sort(open, {}, &TimeOff::begin_ns);
  std::ranges::stable_sort(
      ended_, {}, [](const ThreadTimes& each) { return std::pair(each.begin_ns, each.tid); });
  return open;
}

}  // namespace tacho
