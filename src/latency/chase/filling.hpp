// How much a level holds at once: it is filled piece by piece, and what no longer finds room in it
// is refused. That asks nothing of how its sets fill and make room, which decide where a longer and
// longer list begins to miss.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "latency/chase/route.hpp"

namespace tacho::chase {

// What fills a level: pieces by their number, none of them in it at first.
struct Ground {
  std::size_t pieces = 0;
  // How long it takes to load each of these, in any unit, when all that were taken in are visited,
  // and these, too, again and again.
  std::function<std::vector<double>(std::span<const std::size_t>)> revisit;
  std::function<void(std::size_t)> take_in;
};

struct Filled {
  std::size_t pieces = 0;  // that the level holds at once
  double taken = 0;        // by one of them, in the ground's unit
  bool full = false;       // it held no more; else the ground ended first, or was stopped
};

// Takes in the first `given` pieces, which must find room and be more than the level before holds,
// and of the others all that find room, too. A neighbour that uses the level meanwhile takes its
// part.
Filled fill(const Ground& ground, std::size_t given, const Stop& stop);

}  // namespace tacho::chase
