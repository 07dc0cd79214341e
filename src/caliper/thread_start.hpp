// The first execution of a region in a thread, and what happens outside of any measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// The number of the region with this name, for a place in the source that begins for the first
// time. 0 if memory runs out. What it takes is not part of the regions that run.
std::uint32_t number_of(std::string_view name) noexcept;

// Prepares the calling thread for the region: makes its Thread, and a Record of the region if there
// is memory. Returns null if nothing can be measured: the thread is ending, memory ran out, or
// there is no such region.
Thread* prepare(std::uint32_t region) noexcept;

// Adds a value of the frame's execution to a record without sketches, which gets them when it is
// full. The ticks come last.
void add_first(Thread& thread, const Frame& frame, std::size_t quantity,
               std::uint64_t value) noexcept;

// Does what another process asks for: see region_switch.hpp.
void obey_requests() noexcept;

// Remembers a begin that has no frame, because memory ran out.
void begin_unmeasured() noexcept;
// Counts an end of a region that does not run in the calling thread.
void end_unmatched() noexcept;

}  // namespace tacho::caliper
