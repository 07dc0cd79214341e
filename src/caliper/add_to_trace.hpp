// What becomes of an execution in a trace, and which executions stay when the trace is full.
#pragma once

#include <cstdint>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Adds the execution of the frame to the trace of the calling thread, or leaves it out.
void add_to_trace(Thread& thread, const Frame& frame, std::uint64_t end) noexcept;

}  // namespace tacho::caliper
