// Executions that were begun and have no end: an end was forgotten, longjmp() or an exception left
// C code, or a coroutine ends in another thread. Their frames are dropped, so that they stop no
// other measurement.
#pragma once

#include <cstdint>
#include <string>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Removes a frame without measuring it.
void drop_frame(Thread& thread, std::size_t at) noexcept;

// Drops frames of a region that begins again, if they were left open: the same code began them at
// the same place of the stack, or their functions have returned. Frames that are kept are
// recursions.
void drop_left_open(Thread& thread, std::uint32_t region, BeginPlace place) noexcept;

// Drops frames whose functions have returned, when no frame is free. Returns false if there are
// none.
bool make_room(Thread& thread, BeginPlace place) noexcept;

// The code before a return address, as "app+0x11c3 (parse)". addr2line takes the number. If the
// code is no longer loaded, the address.
std::string name_of_code(const void* return_address);

}  // namespace tacho::caliper
