// The way through a list, recorded beforehand. It brings back the lines that the caches lost while
// other programs ran, many at a time and in the order of the way: the caches are then as a
// traversal leaves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "latency/chase/list.hpp"

namespace tacho::chase {

// Whether to end at once. Called often.
using Stop = std::function<bool()>;

class Route {
 public:
  // Records the way if the list has at most `most` lines, which caches of the core's own may hold.
  // Longer lists are not recorded: another thread takes nothing from them in its time on the core.
  Route(const List& list, std::size_t most, const Stop& stop);

  // Loads every line once, starting at another one each time. Returns where a chase should go on:
  // it then finds each line as recently used as after a whole traversal. Returns `at` if nothing
  // was recorded.
  Link* refresh(Link* at);
  // The same for short lists, which the nearest cache may hold: walks from `at` and back to it.
  Link* recall(Link* at) const;

 private:
  const Link* base_;
  std::vector<std::uint32_t> places_;  // in units of a Link from the list's begin
  std::size_t start_ = 0;
};

}  // namespace tacho::chase
