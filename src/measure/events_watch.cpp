#include "measure/events_watch.hpp"

#include "process/taken_events.hpp"

namespace tacho {

EventsWatch::EventsWatch(pid_t pid, std::span<const std::string> command)
    : pid_(pid), expected_(!command.empty() && why_events_are_taken(command.front()).has_value()) {}

bool EventsWatch::were_taken_by_now(double events_ns, const Ending& ending) {
  if (taken_) return true;
  if (ending.has_usage)
    return taken_ = were_taken(events_ns, 1e9 * (ending.user_s + ending.system_s), expected_);
  const auto cpu_ns = cpu_time_ns(pid_);
  if (!cpu_ns) return false;
  // The process can have worked for long before it executed another program.
  taken_ = were_taken(events_ns, *cpu_ns, expected_) ||
           were_taken(events_ns - last_events_ns_, *cpu_ns - last_cpu_ns_, false);
  last_events_ns_ = events_ns;
  last_cpu_ns_ = *cpu_ns;
  return taken_;
}

}  // namespace tacho
