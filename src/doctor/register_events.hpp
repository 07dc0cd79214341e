// What `tacho list --pmu arm-registers` shows.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/describe_events.hpp"

namespace tacho {

// The events of the core that the calling thread is on, whose names match, with their other names
// and what to know before believing them.
Result<std::vector<EventDescription>> register_events(std::string_view pattern);

}  // namespace tacho
