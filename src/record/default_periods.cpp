#include "record/default_periods.hpp"

#include <algorithm>
#include <array>

namespace tacho {
namespace {

// PERF_TYPE_* and PERF_COUNT_SW_* of include/uapi/linux/perf_event.h.
constexpr std::uint32_t kSoftware = 1, kTracepoint = 2, kBreakpoint = 5;
constexpr auto kRareSoftware = std::to_array<std::uint64_t>({
    3,   // context switches
    4,   // CPU migrations
    6,   // major faults
    7,   // alignment faults
    8,   // emulation faults
    11,  // switches between cgroups
});

bool is_rare(const Event& event) {
  if (event.type == kSoftware)
    return std::ranges::find(kRareSoftware, event.config) != kRareSoftware.end();
  return event.type == kTracepoint || event.type == kBreakpoint;
}

}  // namespace

void sample_rare_events_each_time(std::span<EventGroup> groups) {
  for (EventGroup& group : groups)
    for (Event& event : group)
      if (is_rare(event) && !event.sampling.period && !event.sampling.frequency)
        event.sampling.period = 1;
}

}  // namespace tacho
