// Notices while a command runs that the kernel has taken its events away
// (process/taken_events.hpp). Intervals are reported before the command's whole CPU time is known.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "process/launch.hpp"
#include "process/supervisor.hpp"

namespace tacho {

class EventsWatch {
 public:
  // To be made right after the command's exec.
  EventsWatch(pid_t pid, const Launch& launch);

  // To be called before each reading of the events.
  void before_reading();
  // Whether the events were taken away: they do not come back. `on_ns` is the time for which
  // they were on until the reading. It is compared with the CPU time of the command's process, or
  // with that of the whole command if it has ended.
  bool were_taken_by_now(std::uint64_t on_ns, const Ending& ending);

 private:
  pid_t pid_;
  bool expected_;
  bool taken_ = false;
  double cpu_before_ns_ = 0;                     // before this reading
  double last_events_ns_ = 0, last_cpu_ns_ = 0;  // at the last judged reading, and after it
};

}  // namespace tacho
