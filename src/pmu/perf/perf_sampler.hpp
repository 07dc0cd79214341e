// Samples by the kernel's perf events.
#pragma once

#include <memory>
#include <span>

#include "pmu/pmu.hpp"

namespace tacho {

// Opens the events with one buffer for each CPU, which all events and threads of the target share.
// The kernel does not let inherited events write to a buffer that is not bound to a CPU.
Result<std::unique_ptr<Sampler>> open_perf_sampler(std::span<const EventGroup> groups,
                                                   const Target& target, Start start,
                                                   const SampleSpec& spec);

}  // namespace tacho
