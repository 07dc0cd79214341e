// What ended the waits: the wake-ups, and the critical path that they show.
#pragma once

#include <span>
#include <vector>

#include "wall/critical_path.hpp"
#include "wall/report/wall_places.hpp"
#include "wall/report/wall_summary.hpp"

namespace tacho {

// How many others like it this one stands for, if it has a sample; 1: none.
double weight_of(const TimeOff&, const WallReader&);

// The times off the CPU, with what their places say about their ends: only a wait for a child
// process or in a join is one for the end of another; a soft interrupt that the waker ran itself,
// in its own system call, is the waker's doing.
std::vector<TimeOff> explained(const WallReader&, WallPlaces&);

// By the place of the waits, and thread and place of the waker.
std::vector<WakeUps> summarize_wake_ups(const Profile&, const WallReader&,
                                        std::span<const TimeOff> absences, WallPlaces&);

// The parts of the path, by thread, state and place.
CriticalPath summarize_path(std::span<const PathStep> path, const Profile&, const WallReader&,
                            std::span<const TimeOff> absences, WallPlaces&);

}  // namespace tacho
