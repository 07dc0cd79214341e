// What becomes of a note: it is added to the execution that runs, and at its end to the figures.
#pragma once

#include <cstdint>
#include <string_view>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Adds to a value of the innermost execution that runs in the thread. Does nothing outside of any
// region, and if memory runs out.
void add_note(Thread& thread, std::string_view name, std::uint64_t value) noexcept;

// At the end of an execution: its values become part of the figures, or are dropped.
void end_notes(Thread& thread, const Record& record) noexcept;
void drop_notes(const Record& record) noexcept;

}  // namespace tacho::caliper
