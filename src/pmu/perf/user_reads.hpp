// Whether the kernel lets user space read counters without a system call.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// Whether user space can read the event's counter without a system call: the kernel's switch and
// the counter's page allow it. It is an error if the event can't be opened on this thread.
Result<bool> user_space_may_read(const Event& event);

// x86: the files that let user space read the counters of each core PMU, where the kernel has them.
std::vector<std::string> rdpmc_switches();

}  // namespace tacho
