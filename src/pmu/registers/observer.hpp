// The interface by which a bank learns whether its counts are those of the workload.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.hpp"

namespace tacho::arm {

// Observes whether the counts are the workload's, and whether tacho may write the registers.
struct Observer {
  struct Observation {
    std::optional<std::string> trouble;  // what disturbed the counters since the last look
    bool clear = true;                   // the registers may be written now
  };

  virtual ~Observer() = default;
  virtual Observation look() = 0;
  // From now on, the process and its descendants are the workload.
  virtual Result<void> follow(pid_t pid) = 0;
};

}  // namespace tacho::arm
