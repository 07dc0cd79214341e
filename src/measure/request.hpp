// The request for one measurement: what to run or watch, and how to divide its time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

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
};

}  // namespace tacho
