// What each thread of a recording did at each time: it ran, was ready to run, or waited. The
// records of switches tell it (perf_event_open(2), context_switch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "perfdata/record.hpp"

namespace tacho {

enum class ThreadState : std::uint8_t {
  running,
  ready,    // it has work, but no CPU: it was preempted, gave its CPU up, has just been made, or
            // was woken, as far as wake-ups are recorded
  waiting,  // for anything else
  unknown,  // records are missing
};

// A time in which a thread did not run, or may not have run.
struct TimeOff {
  std::int32_t pid = -1, tid = -1;
  std::uint64_t begin_ns = 0, end_ns = 0;
  ThreadState state = ThreadState::waiting;
  // It began with a switch. If not, the thread had just been made, or did not run when the
  // recording began.
  bool by_switch = true;
  bool sampled = false;  // this switch has a sample, so the place is known (a reader's to say)
  // When it had waited long enough, and was ready from then on. Nothing if its wake-up was not
  // recorded: then it counts as waiting until its end.
  perfdata::OptionalU64 woken_ns;
  std::int32_t waker = 0;  // the thread that woke it; 0: an interrupt
  // It was woken in a soft interrupt: one that the waker ran in its own system call, such as that
  // of a local socket; or one that only came while the waker ran.
  bool in_softirq = false;
  // The thread that woke it while it ended. If the wake-up was not recorded: the thread of the
  // process, or child process, that ended last meanwhile. If it waited for such an end, it was this
  // one. The events of a thread (Linux 6.1 to 6.18) do not record what it wakes while it ends.
  struct EndOfOther {
    std::int32_t tid = -1;
    std::uint64_t time_ns = 0;
    bool is_process = false;
    bool is_inferred = true;
  };
  std::optional<EndOfOther> awaited = std::nullopt;
  std::uint64_t length_ns() const { return end_ns - begin_ns; }
  std::uint64_t woken_or_end_ns() const { return woken_ns.value_or(end_ns); }
};

// One thread, from its beginning or that of the recording to its end or that of the recording.
struct ThreadTimes {
  std::int32_t pid = -1, tid = -1;
  std::int32_t parent = -1;  // the thread that made it; -1: it was there before the recording
  std::string name = {};     // the last one; empty if it was not recorded
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t running_ns = 0, ready_ns = 0, waiting_ns = 0, unknown_ns = 0;
  std::uint64_t life_ns() const { return end_ns - begin_ns; }
};

// Takes the records of a recording in the order of their times. What a thread did since its last
// record is unknown if two or more records were lost meanwhile, for they may be its switches, or if
// its next record contradicts the last one.
class ThreadStates {
 public:
  // This is a time of the recording. The first one is its beginning, if there is no record before.
  void pass(std::uint64_t time);
  // `of_switch`: the record is the sample that the kernel takes when a thread leaves its CPU.
  // Returns the absence that ends with this record, if one does and its state is known.
  std::optional<TimeOff> add(const perfdata::Record&, bool of_switch);
  // A thread was woken by another one, or by an interrupt (0). Has no effect unless it waits, as
  // far as it is known, or if it had been woken before.
  void wake(std::int32_t tid, std::uint64_t time, std::int32_t waker, bool in_softirq = false);
  // Whether the thread waits, or was woken and has no CPU yet, as far as it is known.
  bool waits(std::int32_t tid) const;
  // Whether a record tells what the thread did since the recording began.
  bool is_seen(std::int32_t tid) const;
  // Such a thread ran or was ready when the recording began, or waited.
  void was_runnable(std::int32_t tid, bool runnable);
  // The recording ends. Returns the absences that are not over, as above. `with_unseen`: a thread
  // that was named before the recording, and has no record since, waited all the time. `end`: when
  // the recording ended; nothing: with its last record.
  std::vector<TimeOff> finish(bool with_unseen, perfdata::OptionalU64 end);

  // The threads that ran. Complete after finish(), sorted by beginning, then by number.
  const std::vector<ThreadTimes>& threads() const { return ended_; }
  // The times in which it is not known what a thread did, so far.
  const std::vector<TimeOff>& unknown() const { return unknown_; }
  perfdata::OptionalU64 begin_ns() const { return begin_ns_; }
  perfdata::OptionalU64 end_ns() const { return last_ns_; }

 private:
  struct Thread {
    ThreadTimes times;
    ThreadState now = ThreadState::unknown;
    std::uint64_t since_ns = 0;
    bool seen = false;          // what it did first is known
    bool runnable = false;      // if not: it ran or was ready when the recording began
    bool switched_out = false;  // and has not got a CPU again
    perfdata::OptionalU64 woken_ns;
    std::int32_t waker = 0;
    bool in_softirq = false;
    std::uint64_t lost = 0;       // records of the recording, until its last one
    bool start_was_lost = false;  // perhaps: it was first seen after a loss
  };

  using Threads = std::map<std::pair<std::int32_t, std::int32_t>, Thread>;  // by pid and tid

  Thread& thread(std::int32_t pid, std::int32_t tid);
  const Thread* find(std::int32_t tid) const;
  // Switches of the thread may be lost that its next record would not contradict.
  bool may_have_lost(const Thread& thread) const { return lost_ - thread.lost >= 2; }
  bool is_leaving(std::int32_t tid) const;
  Thread& begin(std::int32_t pid, std::int32_t tid, std::uint64_t time, ThreadState);
  // The thread was in `before`, and from this time on is in `after`. Returns how long it was.
  std::optional<TimeOff> change(Thread&, std::uint64_t time, bool was_running, ThreadState after);
  void end(Threads::iterator, std::uint64_t time);
  void exec(std::int32_t pid, std::int32_t tid, std::uint64_t time);
  void set(Thread&, std::uint64_t time, ThreadState) const;
  std::uint64_t ended_at(std::int32_t tid) const;
  std::optional<TimeOff::EndOfOther> awaited(const TimeOff&) const;

  Threads live_;
  std::unordered_map<std::int32_t, std::int32_t, NumberHash> pid_of_;     // of live threads, by tid
  std::unordered_map<std::int32_t, std::uint64_t, NumberHash> ended_at_;  // by tid
  // By pid: the thread of the process, or the child process, that ended last.
  std::unordered_map<std::int32_t, TimeOff::EndOfOther, NumberHash> last_end_;
  std::vector<ThreadTimes> ended_;
  std::vector<TimeOff> unknown_;
  std::uint64_t lost_ = 0, last_loss_ns_ = 0;  // records so far, and when the last ones were
  perfdata::OptionalU64 begin_ns_, last_ns_;
};

}  // namespace tacho
