#include "wall/wall_events.hpp"

#include <algorithm>

#include "perfdata/format_constants.hpp"

namespace tacho {
namespace {

using perfdata::Description, perfdata::RecordedEvent;

constexpr std::uint32_t kSoftware = 1;         // PERF_TYPE_SOFTWARE
constexpr std::uint64_t kContextSwitches = 3;  // PERF_COUNT_SW_CONTEXT_SWITCHES

// The event whose samples show where threads leave their CPU, or else one that tells when.
const RecordedEvent* find_switches(const Description& recording) {
  auto found = std::ranges::find_if(recording.events, perfdata::is_of_switches);
  if (found == recording.events.end())
    found = std::ranges::find_if(recording.events, &RecordedEvent::tells_switches);
  return found == recording.events.end() ? nullptr : &*found;
}

RecordedEvent named(RecordedEvent event, std::string_view name) {
  event.ids.clear();
  event.name = name;
  return event;
}

// The sum of what threads did, which the warnings are about.
void add_sum_apart(WaitDescription& made) {
  perfdata::EventSum& sum = made.all.sums.emplace_back();
  sum.name = kWallEvent;
  for (const WallEvent event : {WallEvent::waiting, WallEvent::ready})
    sum.parts.push_back(made.first_made + static_cast<std::size_t>(event));
  const auto clock = std::ranges::find_if(made.all.events, perfdata::is_clock);
  if (clock != made.all.events.end())
    sum.parts.push_back(static_cast<std::size_t>(clock - made.all.events.begin()));
}

}  // namespace

WaitDescription describe_waits(const Description& recording, WallView view,
                               const WakeSamples& wakes, bool each_sampled) {
  WaitDescription made{.all = recording, .own_events = recording.events.size()};
  std::vector<RecordedEvent>& events = made.all.events;
  for (std::size_t i = 0; i < events.size(); ++i)
    // No sample of a wake-up is missing for a thread's start.
    if (wakes.has(i)) events[i].inherited = false;
  const RecordedEvent* const switches = find_switches(recording);
  if (switches == nullptr) return made;
  made.of_cpus = (switches->sample_type & perfdata::format::kCpu) != 0;
  RecordedEvent event = *switches;
  event.type = kSoftware;
  event.config = kContextSwitches;
  event.inherited = false;  // no thread's start lacks its samples
  event.frequency = 0;
  event.lengths = true;
  event.period = each_sampled ? 1 : 0;  // 1: none is missing
  if (view == WallView::apart) {
    made.first_made = events.size();
    for (const std::string_view name : kWallEventNames) events.push_back(named(event, name));
    if (!made.all.counted.empty()) made.all.counted.resize(events.size());
    add_sum_apart(made);
    return made;
  }
  events = {named(event, kStateEventNames[kWaitingState]),
            named(event, kStateEventNames[kReadyState])};
  const auto clock = std::ranges::find_if(recording.events, perfdata::is_clock);
  if (view == WallView::together && clock != recording.events.end())
    events.push_back(named(*clock, kStateEventNames[kRunningState]));
  made.all.counted.clear();
  made.all.groups.clear();
  perfdata::EventSum& sum = made.all.sums.emplace_back();
  sum.name = view == WallView::off_cpu ? kOffCpuEvent : kWallEvent;
  for (std::size_t i = 0; i < events.size(); ++i) sum.parts.push_back(i);
  return made;
}

}  // namespace tacho
