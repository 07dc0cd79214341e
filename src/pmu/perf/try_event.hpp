// Tries an event by perf_event over a known loop, for the judge of pmu/trust.
#pragma once

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/trust/belief.hpp"

namespace tacho {

// Counts an event on the calling thread over its yardstick's loop, in user mode if the PMU can
// separate the modes. The thread stays on a CPU of the event's core PMU meanwhile. It is an error
// if it may not run there, if the event can't be opened, or if the event had its counter only part
// of the time.
Result<Trial> try_event(const Event& event, const Yardstick& yardstick);

}  // namespace tacho
