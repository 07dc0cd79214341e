// Notices while a command runs that the kernel has taken its events away
// (process/taken_events.hpp). Intervals are reported before the command's whole CPU time is known.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "process/supervisor.hpp"

namespace tacho {

class EventsWatch {
 public:
  // To be made right after the command's exec.
  EventsWatch(pid_t pid, std::span<const std::string> command);

  // Compares the time for which the events were on until now with the CPU time of the command's
  // process, or with that of the command if it has ended. Once they were taken, they do not come
  // back.
  bool were_taken_by_now(double events_ns, const Ending& ending);

 private:
  pid_t pid_;
  bool expected_;
  bool taken_ = false;
  double last_events_ns_ = 0, last_cpu_ns_ = 0;  // at the last call
};

}  // namespace tacho
