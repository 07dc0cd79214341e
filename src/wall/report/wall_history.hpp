// What the parts of a summary of waits are made from: a recording that was read with
// WallView::apart, and what follows from it.
#pragma once

#include <optional>
#include <vector>

#include "profile/profile.hpp"
#include "wall/critical_path.hpp"
#include "wall/report/wall_choice.hpp"
#include "wall/report/wall_places.hpp"
#include "wall/running_levels.hpp"
#include "wall/thread_finder.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {

struct WallHistory {
  const Profile& profile;
  const WallReader& reader;
  const WallChoice& choice;
  WallPlaces& places;
  WallScales scales;
  ThreadFinder threads;
  std::vector<bool> chosen = {};       // of the reader's threads
  std::vector<TimeOff> absences = {};  // of all threads, explained()
  std::vector<RunningLevel> levels = {};
  std::vector<PathStep> path = {};  // empty: it is not known

  // How much this part stands for if it has a sample; 1: for itself.
  double weight_of(const TimeOff& off, PartOff part) const {
    return scales.waits.of(off, part, reader.base_weight(off));
  }
  // The chosen thread that was off the CPU; nothing if it was not chosen.
  std::optional<std::size_t> thread_of(const TimeOff& off) const {
    const auto thread = threads.find(off.tid, off.end_ns, off.pid);
    return thread && chosen[*thread] ? thread : std::nullopt;
  }
};

// The part of a time off the CPU that a step of the path is.
inline PartOff part_of(const PathStep& step, const TimeOff& off) {
  return step.state == off.state ? PartOff::first : PartOff::woken;
}

}  // namespace tacho
