// Hardware breakpoints in perf's spelling: mem:ADDRESS[/BYTES][:ACCESS]. The processor compares
// each address that it reads, writes or executes with a few registers. The counts are exact, also
// on most virtual machines; pmu/perf/try_breakpoint.hpp finds the others.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// ACCESS consists of the letters r, w and x; the default is rw. BYTES is 1, 2, 4 or 8 and counts
// from ADDRESS. Its default is 4 for data. For x it is the size of a pointer, as Linux requires.
// Modifiers may follow. Returns nothing if the spec does not begin like a breakpoint.
Result<std::optional<Event>> breakpoint_event(std::string_view spec);

// Whether a text begins like a breakpoint. The slash in a breakpoint has no partner, unlike the
// slashes of `pmu/…/`.
bool is_breakpoint_like(std::string_view text);

}  // namespace tacho
