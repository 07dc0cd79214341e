// What the parts of a summary of waits are made from: a recording that was read with
// WallView::apart, and what follows from it.
#pragma once

#include <vector>

#include "profile/profile.hpp"
#include "wall/critical_path.hpp"
#include "wall/report/wall_choice.hpp"
#include "wall/report/wall_places.hpp"
#include "wall/running_levels.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {

struct WallHistory {
  const Profile& profile;
  const WallReader& reader;
  const WallChoice& choice;
  WallPlaces& places;
  std::vector<TimeOff> absences = {};  // of all threads, explained()
  std::vector<RunningLevel> levels = {};
  std::vector<PathStep> path = {};  // empty: it is not known

  // How many others like it this one stands for, if it has a sample; 1: none. Only switches are
  // sampled in windows.
  double weight_of(const TimeOff& off) const {
    return off.by_switch ? reader.weight_at(off.begin_ns) : 1;
  }
  bool has(const TimeOff& off) const { return choice.has(off.pid, off.tid); }
};

}  // namespace tacho
