// A trial of an event by perf_event, for the judge of pmu/trust.
#pragma once

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/trust/yardstick.hpp"

namespace tacho {

// Counts an event on the calling thread over its yardstick's loop, in user mode where the PMU can.
// An error when it can't be opened, or had its counter only now and then.
Result<Trial> try_event(const Event& event, const Yardstick& yardstick);

}  // namespace tacho
