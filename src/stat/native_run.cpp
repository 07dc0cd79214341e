#include "stat/native_run.hpp"

#include <algorithm>

#include "estimate/summarise.hpp"
#include "measure/measure.hpp"
#include "pmu/choice/event_groups.hpp"
#include "pmu/choice/make_pmu.hpp"

namespace tacho {
namespace {

constexpr const char* kTaskClock = "task-clock";  // simulated, too, but it is another time

}  // namespace

std::vector<std::string> take_software_events(std::vector<EventGroup>& groups) {
  std::vector<std::string> names;
  for (EventGroup& group : groups)
    std::erase_if(group, [&](const Event& event) {
      const bool software = event.domain == Domain::software;
      if (software) names.push_back(event.name);
      return software;
    });
  std::erase_if(groups, [](const EventGroup& group) { return group.empty(); });
  return names;
}

Result<NativeRun> run_natively(const std::vector<std::string>& command,
                               std::vector<std::string> events, std::span<const Metric> metrics,
                               const Catalogue& catalogue, Supervisor& supervisor) {
  if (events.empty()) events = {"context-switches", "cpu-migrations", "page-faults"};
  if (std::ranges::find(events, kTaskClock) == events.end())
    events.insert(events.begin(), kTaskClock);
  const auto pmu =
      TACHO_TRY(make_pmu({.kind = PmuKind::software, .model = {}, .cores = {}}, catalogue));
  const std::vector<EventGroup> groups = TACHO_TRY(resolve_groups(*pmu, events));
  const Plan plan = make_plan(*pmu, groups, {});
  Measured measured = TACHO_TRY(measure(*pmu, supervisor, plan, {.launch = {.argv = command}}, {}));
  Summary summary = summarise(measured.whole, metrics);
  return NativeRun{std::move(measured.whole), std::move(summary)};
}

}  // namespace tacho
