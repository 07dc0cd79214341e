// The hot path by the number of a region, for the C interface.
#pragma once

#include <cstdint>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Begin and end one execution in the calling thread. Region 0 does nothing. `now` is the clock,
// read at the start of the end.
void begin(std::uint32_t region, BeginPlace place) noexcept;
void end(std::uint32_t region, std::uint64_t now) noexcept;

}  // namespace tacho::caliper
