// How much a level holds at once: it is filled group by group, and groups that no longer find room
// are refused. Unlike the size at which longer and longer lists begin to miss, the result does not
// depend on how the sets fill and which lines they replace.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "latency/chase/route.hpp"

namespace tacho::chase {

// Groups of lines, by number, which fill a level. None is in it at first.
struct GroupsToFill {
  std::size_t count = 0;
  // The time, in any unit, to load each of these groups, if they and all groups that were taken in
  // are visited again and again.
  std::function<std::vector<double>(std::span<const std::size_t>)> revisit;
  std::function<void(std::size_t)> take_in;
};

struct FilledLevel {
  std::size_t groups = 0;  // that the level holds at once
  double hit_time = 0;     // of one of them, in the unit of GroupsToFill::revisit
  bool full = false;  // it holds no more; otherwise there were too few groups, or it was stopped
};

// Takes in the first `given` groups, and all others that find room. The first ones must find room,
// and be more than the level before holds. A neighbour that uses the level meanwhile takes a part.
FilledLevel fill_level(const GroupsToFill& groups, std::size_t given, const Stop& stop);

}  // namespace tacho::chase
