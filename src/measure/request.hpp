// The request for one measurement: what to run or watch, and how to divide its time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "process/counting_control.hpp"
#include "process/launch.hpp"

namespace tacho {

struct MeasureRequest {
  // The command to launch; without words, none. With pid or every_cpu, only its duration matters.
  Launch launch = {};
  // The longest real time for which the command may run, from its exec on. Then it is killed with
  // everything that it started. Time while tacho itself is stopped (Ctrl-Z) counts, too.
  std::optional<std::chrono::nanoseconds> limit = {};
  std::optional<pid_t> pid = {};  // count this process instead
  bool every_cpu = false;         // count everything that runs on any CPU
  bool parted = false;            // one part for each present thread of `pid`, or each CPU
  std::chrono::nanoseconds longest_period = std::chrono::milliseconds(10);
  std::optional<std::chrono::nanoseconds> interval = {};  // how often to call Listener::interval
  std::uint64_t seed = 0;                                 // of the random order of the sets
  // Counting begins so long after the start; max(): not before a command says so. Nothing: at the
  // start.
  std::optional<std::chrono::nanoseconds> delay = {};
  CountingControl* control = nullptr;  // turns counting on and off meanwhile; null: nobody does
  // Counting ends so long after the start, and a launched command is asked to end.
  std::optional<std::chrono::nanoseconds> timeout = {};
  std::optional<std::uint64_t> intervals = {};  // counting ends after so many of them

  // Whether counting may be off for a part of the run.
  bool is_switched() const { return delay || control != nullptr || timeout || intervals; }
};

}  // namespace tacho
