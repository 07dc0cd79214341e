#include "record/default_periods.hpp"

#include <fmt/format.h>

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

void choose_for_waits(SampleSpec& spec, bool has_frequency) {
  // Most waits are in libraries without frame pointers, so only a copy of the stack shows which
  // function of the program waits. A copy of this size reaches far enough in most programs, and
  // costs less than following frame pointers in a virtual machine.
  constexpr std::uint32_t kStackBytes = 4096;
  constexpr std::uint64_t kFrequency = 1000;  // Hz
  if (spec.chains == SampleSpec::Chains::none) {
    spec.chains = SampleSpec::Chains::dwarf;
    spec.stack_bytes = kStackBytes;
  }
  if (!has_frequency) spec.frequency = kFrequency;
}

Result<std::vector<EventGroup>> switches(const Pmu& pmu) {
  // A prime number is not in step with threads that wait at several places in turn.
  constexpr std::uint64_t kSparse = 61;
  if (!pmu.capabilities().restriction.empty()) {
    Event records = TACHO_TRY(pmu.resolve("dummy"));
    records.sampling.tells_switches = true;
    records.exclude_kernel = records.exclude_hv = true;
    return std::vector<EventGroup>{{records}};
  }
  Event each = TACHO_TRY(pmu.resolve("context-switches"));
  each.sampling.period = 1;
  Event some = each;
  each.sampling.may_pause = true;
  some.sampling.period = kSparse;
  some.sampling.tells_switches = true;
  some.name += fmt::format("/period={}/", kSparse);
  return std::vector<EventGroup>{{some}, {each}};
}

}  // namespace tacho
