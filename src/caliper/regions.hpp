// The hot path by the number of a region, for the C interface.
#pragma once

#include <cstdint>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Begin and end one execution in the calling thread. Region 0 does nothing.
void begin(std::uint32_t region, BeginPlace place) noexcept;
void end(std::uint32_t region) noexcept;

}  // namespace tacho::caliper
