// The events that `tacho list --pmu arm-registers` shows.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/describe_events.hpp"

namespace tacho {

// The events of the calling thread's core whose names match the pattern. The descriptions have
// other names and cautions.
Result<std::vector<EventDescription>> register_events(std::string_view pattern);

}  // namespace tacho
