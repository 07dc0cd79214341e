// `tacho stat --in-region NAME` and `tacho record --in-region NAME`: tells tacho when threads of
// this process run that region, so that it counts only then. The process tells when the first
// thread begins it and when the last one ends it, and waits until tacho has obeyed.
#pragma once

#include <string_view>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Whether the environment asks for this region.
bool is_gate(std::string_view region) noexcept;

// A thread begins or ends the region. If tacho does not answer, it is not asked again.
void enter_gate() noexcept;
void leave_gate() noexcept;
// A thread ends. Executions that are open in it end with it.
void leave_gate_with(const Thread& thread) noexcept;
void forget_gate() noexcept;  // in the child of a fork, which has a connection of its own

}  // namespace tacho::caliper
