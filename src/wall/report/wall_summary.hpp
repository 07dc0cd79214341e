// Where the time of threads went: running, ready to run, and waiting, by reason and by place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "locate/resolver.hpp"
#include "profile/recorded_profile.hpp"
#include "wall/report/wait_reasons.hpp"
#include "wall/thread_states.hpp"

namespace tacho {

// Times are in ns. They were counted, but for the running time of functions, which was sampled.
// While only some switches were sampled, times off the CPU are exact only as sums over all places.
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
};

struct LongWait {
  std::uint64_t begin_ns = 0, length_ns = 0;  // since the beginning of the recording
  std::size_t place = 0;                      // in WallSummary::places
};

struct WallThread {
  ThreadTimes times;
  std::string name;
  std::vector<LongWait> longest;  // at most three, the longest first
};

// A function, with all that it called.
struct WallFunction {
  std::string module, name;
  double running_ns = 0;           // estimated from samples
  double low_ns = 0, high_ns = 0;  // its 95 % interval
  double alone_ns = 0;             // of it: while no other thread ran
  double ready_ns = 0, waiting_ns = 0;
  std::size_t reason =
      ~std::size_t{0};  // what it waited for most, in WallSummary::reasons; or none
  double wall_ns() const { return running_ns + ready_ns + waiting_ns; }
};

struct WallSummary {
  std::vector<std::string> command;
  std::uint64_t begin_ns = 0, span_ns = 0;  // of the first record; from it to the last
  ThreadTimes all;                          // the sum of all threads
  std::vector<std::uint64_t> time_at;       // for how long so many threads ran at once, by number
  bool has_running_samples = false;         // the running time of functions was sampled
  std::uint64_t running_samples = 0;
  std::vector<WaitByReason> reasons;    // the longest first
  std::vector<WallThread> threads;      // in the order in which they began
  std::vector<WaitPlace> places;        // the longest first
  std::vector<WallFunction> functions;  // the longest first
  std::vector<std::string> warnings;
};

// `recorded` was read with WallView::apart, and has the times of its samples. `alone`: for each
// sample of running time, whether no other thread ran.
WallSummary summarize_wall(const RecordedProfile& recorded, const ThreadStates& states,
                           const std::vector<bool>& alone, Resolver& resolver,
                           const WaitReasons& reasons);

}  // namespace tacho
