// A group of perf_event counters, opened once for each thread or CPU of its target.
#pragma once

#include <memory>
#include <span>

#include "pmu/pmu.hpp"

namespace tacho {

Result<std::unique_ptr<CounterGroup>> open_perf_group(std::span<const Event> events,
                                                      const Target& target, Start start);

}  // namespace tacho
