// Hardware breakpoints, as perf spells them: mem:ADDRESS[/BYTES][:ACCESS]. The processor compares
// each address that it reads, writes or executes with a few registers; it counts exactly, on
// virtual machines, too.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// ACCESS is of the letters r, w and x; rw unless given. BYTES from ADDRESS on, 1, 2, 4 or 8, are
// watched: 4 unless given, and of x the size of a pointer, which is what Linux takes for an
// instruction. Modifiers may follow. Nothing when the spec does not begin like one.
Result<std::optional<Event>> breakpoint_event(std::string_view spec);

// Whether an event list's text begins like one: its slash has no partner.
bool is_breakpoint_like(std::string_view text);

}  // namespace tacho
