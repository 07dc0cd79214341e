// `tacho stat -v`: how the events were counted.
#pragma once

#include <string>

#include "measure/plan.hpp"

namespace tacho {

// A line for each event: whether it counted all the time or took turns in a set, what the kernel
// was asked for (fields of perf_event_attr), and why it was refused.
std::string plan_text(const Plan& plan);

}  // namespace tacho
