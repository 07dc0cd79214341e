#include "record/default_periods.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/process_tree.hpp"
#include "pmu/perf/perf_open.hpp"

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
  // More samples in a tick would take over 2 % of a CPU: with a copy of the stack, 5 µs each; bare,
  // 1 µs.
  constexpr std::uint64_t kMostWithChain = 300, kMostBare = 2000;
  Event records = TACHO_TRY(pmu.resolve("dummy"));
  records.sampling.tells_switches = true;
  records.exclude_kernel = records.exclude_hv = true;
  std::vector<EventGroup> groups{{records}};
  if (!pmu.capabilities().restriction.empty()) return groups;
  const auto add = [&](Event event, std::uint64_t most) {
    event.sampling.period = 1;
    event.sampling.most_in_tick = most;
    groups.push_back({event});
  };
  add(TACHO_TRY(pmu.resolve("context-switches")), kMostWithChain);
  // Without its fields, a sample does not say which thread was woken. The kernel writes the numbers
  // of its first namespace there, whoever records.
  const bool sees_fields =
      (::geteuid() == 0 || perf_event_paranoid().value_or(0) < 0) && is_in_first_pid_namespace();
  if (auto waking = pmu.resolve("sched:sched_waking"); waking && sees_fields) {
    add(*waking, kMostWithChain);
    waking->name += "/call-graph=no/";
    waking->sampling.without_chain = waking->sampling.everywhere = true;
    add(*waking, kMostBare);
  }
  return groups;
}

}  // namespace tacho
