// The way through a list, known beforehand: what the caches lost while others ran is brought back
// many lines at a time, in the order of the way, so that they are as a traversal leaves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "latency/chase/list.hpp"

namespace tacho::chase {

// Whether to end at once: asked often.
using Stop = std::function<bool()>;

class Route {
 public:
  // Walks the list once, if it has no more lines than `most`, which caches of the core's own may
  // hold. Longer ones are not known: a thread that had the core for a while took nothing from them.
  Route(const List& list, std::size_t most, const Stop& stop);

  // Loads every line once, starting at another one each time, where a chase is then to go on: it
  // finds each line as long ago as a whole traversal. `at` where the list is not known.
  Link* refresh(Link* at);
  // The same for lists that the nearest cache may hold, and are soon walked: from `at`, back to it.
  Link* recall(Link* at) const;

 private:
  const Link* base_;
  std::vector<std::uint32_t> places_;  // in units of a Link from the list's begin
  std::size_t start_ = 0;
};

}  // namespace tacho::chase
