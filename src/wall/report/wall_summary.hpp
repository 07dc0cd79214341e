// Where the time of threads went: running, ready to run, and waiting, by reason and by place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "locate/recorded_target.hpp"
#include "locate/sample_choice.hpp"
#include "wall/report/wait_reasons.hpp"
#include "wall/thread_states.hpp"

namespace tacho {

// Times are in ns. They were counted, but for the running time of functions, which was sampled.
// While only some switches were sampled, times off the CPU are exact only as sums over all places.
// While only some wake-ups were sampled, waiting lasts until the thread gets a CPU.
struct WaitSum {
  double total_ns = 0;
  double low_ns = 0, high_ns = 0;  // its 95 % interval; the sum itself if it was counted
  std::uint64_t longest_ns = 0;    // of those with a sample
  double times = 0;
  bool is_estimate() const { return high_ns > low_ns; }
};

struct WaitByReason {
  WaitReason reason;
  bool ready = false;  // the thread could have run
  WaitSum sum;
};

// All waits for one reason at one place.
struct WaitPlace {
  std::size_t reason = 0;  // in WallSummary::reasons
  WaitSum sum;
  std::vector<std::string> functions;  // of user mode, innermost first; of the kernel if none
  bool cut = false;                    // the last of them has callers that are not known
};

struct LongWait {
  std::uint64_t begin_ns = 0, length_ns = 0;  // since the beginning of the recording
  std::optional<std::size_t> place;           // in WallSummary::places, if it was sampled
};

struct WallThread {
  ThreadTimes times;  // the chosen part: it ends as long after the beginning as it is
  std::string name;
  std::vector<LongWait> longest;  // at most three, the longest first
};

inline constexpr std::size_t kNoReason = std::numeric_limits<std::size_t>::max();

// A function, with all that it called.
struct WallFunction {
  std::string module, name;
  double running_ns = 0;           // estimated from samples
  double low_ns = 0, high_ns = 0;  // its 95 % interval
  double alone_ns = 0;             // of it: while no other thread ran
  double ready_ns = 0, waiting_ns = 0;
  double path_ns = 0;              // of all of it: on the critical path
  std::size_t reason = kNoReason;  // what it waited for most, in WallSummary::reasons
  double wall_ns() const { return running_ns + ready_ns + waiting_ns; }
};

// Threads of one name.
struct ThreadGroup {
  std::string name;  // empty if it is not known
  std::set<std::int32_t> tids;
};

// Wake-ups at one place that ended waits at one place.
struct WakeUps {
  std::optional<std::size_t> place;  // of the waits, in WallSummary::places, if it is known
  ThreadGroup wakers;                // none: an interrupt
  // It ended, and this was what the others waited for.
  enum class End : std::uint8_t { none, inferred, recorded };
  End by_end = End::none;
  bool in_interrupt = false;  // a soft interrupt woke them while it ran, perhaps for its own packet
  std::vector<std::string> functions;  // of the waker, as in WaitPlace
  WaitSum waited;                      // until then
};

// The parts of the critical path that threads of one name spent in one way.
struct PathPart {
  ThreadState state = ThreadState::running;
  std::optional<std::size_t> place;  // where they waited, in WallSummary::places, if it is known
  ThreadGroup threads;               // none: those whose place is not known
  WaitSum sum;
};

struct CriticalPath {
  std::uint64_t total_ns = 0;
  std::uint64_t outside_ns = 0;  // in waits that no recorded thread ended
  bool is_certain = true;        // if not, some wake-ups were not recorded: it may go another way
  std::vector<PathPart> parts;   // the longest first
};

struct WallSummary {
  std::vector<std::string> command;
  RecordedTarget target;
  std::optional<ChosenSamples> chosen;  // threads and times, and samples of running time
  std::uint64_t begin_ns = 0;           // of the first record
  std::uint64_t span_ns = 0;            // from it to the last; of it: the chosen time
  ThreadTimes all;                      // the sum of all threads
  std::vector<std::uint64_t> time_at;   // for how long so many threads ran at once, by number
  bool has_running_samples = false;     // the running time of functions was sampled
  bool has_switch_samples = false;      // at least some switches were sampled
  std::uint64_t lost_ns = 0;            // waiting for which no sampled wait stands
  std::uint64_t running_samples = 0;
  std::vector<WaitByReason> reasons;    // the longest first
  std::vector<WallThread> threads;      // in the order in which they began
  std::vector<WaitPlace> places;        // the longest first
  std::vector<WallFunction> functions;  // the longest first
  bool tells_wakes = false;             // wake-ups were recorded
  bool tells_others_wakes = false;      // also those by devices, timers and other processes
  bool has_unread_wakes = false;        // perhaps: the recording does not describe them
  std::vector<WakeUps> wake_ups;        // those that ended the longest waits first
  // While only some wake-ups were sampled: the part of the waiting that came after them.
  std::optional<WaitSum> woken_within;
  std::optional<CriticalPath> path;
  std::uint64_t switches = 0;  // times off the CPU that began with a switch
  // Of the times off the CPU: in which the counters were on, at most. It is the recorder's work at
  // switches. Only of whole recordings in which nothing is unknown.
  std::optional<std::uint64_t> recorder_ns;
  std::vector<std::string> warnings;
};

}  // namespace tacho
