// What ended the waits: the wake-ups, and the critical path that they show.
#pragma once

#include <span>
#include <vector>

#include "wall/critical_path.hpp"
#include "wall/report/wall_places.hpp"
#include "wall/report/wall_summary.hpp"

namespace tacho {

// By the place of the waits, and thread and place of the waker.
std::vector<WakeUps> summarize_wake_ups(const Profile&, const WallReader&, WallPlaces&);

// The parts of the path, by thread, state and place.
CriticalPath summarize_path(std::span<const PathStep> path, const Profile&, const WallReader&,
                            WallPlaces&);

}  // namespace tacho
