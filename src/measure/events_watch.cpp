#include "measure/events_watch.hpp"

#include "process/taken_events.hpp"

namespace tacho {
namespace {

// Least CPU time between two readings that is judged; less is judged together with what follows.
// The CPU clock of a process on another CPU may lag by a tick of the kernel, 4 or 10 ms, and catch
// up at once (seen under the hypervisor PVM).
constexpr double kJudgedNs = 2e7;
constexpr double kExpectedNs = 2e5;  // if the program's file shows that the kernel takes the events
// The part of it for which the events of a process that keeps them are on at least. They are on all
// the time, except while the kernel switches to and from the process.
constexpr double kOn = 0.1;

}  // namespace

EventsWatch::EventsWatch(pid_t pid, const Launch& launch)
    : pid_(pid),
      expected_(!launch.argv.empty() &&
                why_events_are_taken(launch.argv.front(), launch.directory).has_value()),
      last_cpu_ns_(cpu_time_ns(pid).value_or(0)) {}

void EventsWatch::before_reading() {
  cpu_before_ns_ = cpu_time_ns(pid_).value_or(0);
}

bool EventsWatch::were_taken_by_now(std::uint64_t on_ns, const Ending& ending) {
  if (taken_ || on_ns == 0) return taken_;  // 0: no event tells the time
  const auto events_ns = static_cast<double>(on_ns);
  if (ending.has_usage) return taken_ = were_taken(events_ns, cpu_time(ending), expected_);
  // The process used at least this much between the two readings of its events.
  const double used_ns = cpu_before_ns_ - last_cpu_ns_;
  if (used_ns <= (expected_ ? kExpectedNs : kJudgedNs)) return false;
  // The kernel ends the events of a process before it frees the memory.
  taken_ = events_ns - last_events_ns_ < kOn * used_ns && !is_exiting(pid_);
  last_events_ns_ = events_ns;
  last_cpu_ns_ = cpu_time_ns(pid_).value_or(last_cpu_ns_);
  return taken_;
}

}  // namespace tacho
