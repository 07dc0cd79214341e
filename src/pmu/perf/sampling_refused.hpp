// Says why the kernel refuses to sample an event, where counting it would be another matter.
#pragma once

#include <cstdint>
#include <optional>

#include "events/event.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

// The kernel refuses higher frequencies, and stops a timer that is faster for a while. It lowers
// this by itself when samples take too much time. Nothing if it is not known.
std::optional<std::uint64_t> highest_frequency();

// The error of perf_open with the causes that only sampling has. To find them, it may open the
// event in other ways.
Error sampling_refused(const Error& error, const Event& event, const PerfOpen& how,
                       const SampleSpec& spec);

}  // namespace tacho
