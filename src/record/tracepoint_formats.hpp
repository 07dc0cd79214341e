// Reads the formats of the sampled tracepoints from tracefs, for readers of the recording.
#pragma once

#include <span>

#include "events/event.hpp"
#include "perfdata/tracing_data.hpp"

namespace tacho {

// The formats of the tracepoints among the events, each once. A tracepoint whose format can't be
// read is left out.
perfdata::TracingFormats tracepoint_formats(std::span<const EventGroup> groups);

}  // namespace tacho
