// Moves the calling thread to the cores on which an event can be tried.
#pragma once

#include <optional>

#include "base/cpus.hpp"
#include "events/event.hpp"

namespace tacho {

// While it lives, the calling thread stays on one CPU of the event's core PMU. An event without a
// core PMU of its own can be tried anywhere: then the thread stays where it is. The destructor
// restores the CPUs on which the thread could run before.
class OnCoresOf {
 public:
  explicit OnCoresOf(const Event& event);

  // False: the thread may not run on any of these CPUs, so nothing can be tried.
  bool there() const { return there_; }

 private:
  bool there_ = true;
  std::optional<RestoredAffinity> affinity_;  // none: the event can be tried anywhere
};

}  // namespace tacho
