// Sampling by the kernel's perf events.
#pragma once

#include <memory>
#include <span>

#include "pmu/pmu.hpp"

namespace tacho {

// One buffer a CPU, which all events and threads of the target share there: the kernel does not
// let the heirs of an event write into a buffer that is not bound to a CPU.
Result<std::unique_ptr<Sampler>> open_perf_sampler(std::span<const EventGroup> groups,
                                                   const Target& target, Start start,
                                                   const SampleSpec& spec);

}  // namespace tacho
