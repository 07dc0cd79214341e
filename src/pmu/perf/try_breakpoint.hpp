// Tries whether the processor's breakpoints work here: some hypervisors accept them, and then they
// never see an access.
#pragma once

#include <optional>
#include <string>

#include "events/event.hpp"

namespace tacho {

// Returns why the counts of a breakpoint are not to be believed: a breakpoint with its kind of
// access, on memory of tacho's own, did not see known accesses of the calling thread. Returns
// nothing if it did, if the event is no breakpoint, or if it could not be tried.
std::optional<std::string> doubt_of_breakpoint(const Event& event);

}  // namespace tacho
