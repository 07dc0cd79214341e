#include "caliper/unequal_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tacho::caliper {
namespace {

// Adds the event to the group of its PMU.
void add_to_group(CountingPlan& counting, std::size_t event) {
  const std::string& pmu = counting.events[event].core_pmu;
  const auto group = std::ranges::find_if(counting.of_cores, [&](const auto& members) {
    return counting.events[members.front()].core_pmu == pmu;
  });
  if (group == counting.of_cores.end())
    counting.of_cores.push_back({event});
  else
    group->push_back(event);
}

Error lacks(const Event& part, const Error& error) {
  return {fmt::format("not on all cores: {}: {}", part.name, error.what),
          fmt::format("name a PMU that has it, as {} names {}", part.name, part.core_pmu),
          error.code};
}

void plan_event(CountingPlan& counting, Pmu& pmu, std::size_t requested) {
  const std::vector<Event> parts = pmu.parts_of(counting.events[requested]);
  for (const Event& part : parts) {
    const auto opened = pmu.open({&part, 1}, Self{}, Start::stopped);
    if (opened) continue;
    counting.refused[requested] = parts.size() == 1 ? opened.error() : lacks(part, opened.error());
    return;
  }
  if (parts.size() == 1) {
    counting.events[requested] = parts.front();
    if (parts.front().core_pmu.empty())
      counting.always.push_back(requested);
    else
      add_to_group(counting, requested);
    return;
  }
  for (const Event& part : parts) {
    const std::size_t index = counting.events.size();
    counting.events.push_back(part);
    counting.refused.emplace_back();
    counting.parts[requested].push_back(index);
    add_to_group(counting, index);
  }
}

}  // namespace

void plan_on_unequal_cores(CountingPlan& counting, Pmu& pmu, std::size_t core_pmus) {
  counting.parts.resize(counting.requested);
  for (std::size_t i = 0; i < counting.requested; ++i) {
    if (counting.refused[i]) continue;
    if (counting.events.size() + core_pmus > SelfGroup::kMost)
      counting.refused[i] =
          Error{fmt::format("more than {} events of unequal cores", SelfGroup::kMost),
                "ask for fewer", 0};
    else
      plan_event(counting, pmu, i);
  }
  counting.all_cores = core_pmus > 1 && counting.of_cores.size() == core_pmus;
}

void refuse_incomplete(const CountingPlan& counting, std::vector<std::optional<Error>>& refused) {
  for (std::size_t i = 0; i < counting.parts.size(); ++i)
    for (const std::size_t part : counting.parts[i])
      if (refused[part] && !refused[i]) refused[i] = lacks(counting.events[part], *refused[part]);
}

std::string names_of_cores(const CountingPlan& counting) {
  std::vector<std::string_view> names;
  for (const auto& group : counting.of_cores)
    names.push_back(counting.events[group.front()].core_pmu);
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace tacho::caliper
