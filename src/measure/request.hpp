// The request for one measurement: what to run or watch, and how to divide its time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tacho {

struct MeasureRequest {
  std::vector<std::string> command;      // to launch; with pid or every_cpu only its length counts
  std::vector<std::string> environment;  // NAME=VALUEs that the command finds in its environment
  std::optional<pid_t> pid;              // count this process instead
  bool every_cpu = false;                // count whatever runs
  bool parted = false;                   // one part a present thread of `pid`, or a CPU
  std::chrono::nanoseconds longest_period = std::chrono::milliseconds(10);
  std::optional<std::chrono::nanoseconds> interval;  // call Listener::interval this often
  std::uint64_t seed = 0;                            // of the order of the sets
};

}  // namespace tacho
