// The cost of measuring an empty region, which a thread measures before its first region.
#pragma once

#include <cstdint>
#include <string_view>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Measures Thread::cost and Counted::cost of the calling thread, with executions of the region,
// whose record is empty afterwards.
void measure_own_costs(Thread& thread, std::uint32_t region, std::string_view name);

}  // namespace tacho::caliper
