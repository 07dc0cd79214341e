// What ended the waits: the wake-ups, and the critical path that they show.
#pragma once

#include <map>
#include <vector>

#include "wall/report/sampled_lengths.hpp"
#include "wall/report/wall_history.hpp"
#include "wall/report/wall_summary.hpp"

namespace tacho {

// The times off the CPU, with what their places say about their ends: only a wait for a child
// process, for a signal or in a join is one for the end of another; a soft interrupt that the waker
// ran itself, in its own system call, is the waker's doing.
std::vector<TimeOff> explained(const WallReader&, WallPlaces&);

// By the place of the waits, and thread and place of the waker.
std::vector<WakeUps> summarize_wake_ups(const WallHistory&);

// The times off the CPU in one state on the critical path, of which only some were sampled.
struct PathTotal {
  std::uint64_t all_ns = 0;
  AbsenceSum sampled;
};
std::map<ThreadState, PathTotal> path_totals(const WallHistory&);

// The parts of the path, by thread, state and place.
CriticalPath summarize_path(const WallHistory&);

}  // namespace tacho
