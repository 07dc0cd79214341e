// Makes a plan: resolves the events, divides them into sets, and opens them once to see which are
// refused and which read method works.
#include "caliper/plan_counting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "caliper/unequal_plan.hpp"
#include "events/catalogue.hpp"
#include "events/split_events.hpp"
#include "measure/plan.hpp"
#include "pmu/perf/fallbacks.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/perf/unequal_cores.hpp"
#include "pmu/registers/self_registers.hpp"

namespace tacho::caliper {
namespace {

// Keeps the order of `names`. An event that the catalogue does not know has only its name.
void resolve(const std::vector<std::string>& names, const PerfEventPmu& pmu,
             CountingPlan& counting) {
  const bool too_many = names.size() > Counters::kMaxEvents;
  for (const std::string& name : names) {
    Event& event = counting.events.emplace_back();
    event.name = name;
    std::optional<Error>& refused = counting.refused.emplace_back();
    if (too_many) {
      refused = Error{fmt::format("more than {} events", Counters::kMaxEvents), "ask for fewer", 0};
    } else if (auto known = pmu.resolve(name)) {
      event = std::move(*known);
    } else {
      refused = known.error();
      counting.unknown.push_back(counting.events.size() - 1);
    }
  }
  counting.requested = names.size();
}

// Copies a plan of the known events. Its indices become indices into all events.
void copy_plan(Plan plan, CountingPlan& counting) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < counting.requested; ++i)
    if (!counting.refused[i]) places.push_back(i);
  for (std::size_t i = 0; i < plan.events.size(); ++i) {
    if (i < plan.asked) {
      counting.refused[places[i]] = std::move(plan.refused[i]);
      continue;
    }
    places.push_back(counting.events.size());
    counting.events.push_back(std::move(plan.events[i]));
    counting.refused.emplace_back();
  }
  const auto translated = [&](const std::vector<std::size_t>& group) {
    std::vector<std::size_t> members;
    for (const std::size_t i : group) members.push_back(places[i]);
    return members;
  };
  for (const auto& group : plan.always)
    for (const std::size_t member : translated(group)) counting.always.push_back(member);
  for (const auto& set : plan.sets) counting.sets.push_back(translated(set));
  if (plan.reference) counting.reference = places[*plan.reference];
}

// Makes an event of the core the group's leader, because the leader says for how long the group had
// its counters.
void put_software_last(CountingPlan& counting) {
  std::ranges::stable_partition(counting.always, [&](std::size_t event) {
    return counting.events[event].domain == Domain::core;
  });
}

// Plans which events are counted all the time, and which take turns.
void plan_sets(CountingPlan& counting, Pmu& pmu, std::optional<int> counters) {
  std::vector<EventGroup> groups;
  for (std::size_t i = 0; i < counting.requested; ++i)
    if (!counting.refused[i]) groups.push_back({counting.events[i]});
  if (!groups.empty()) copy_plan(make_plan(pmu, groups, counters), counting);
  put_software_last(counting);
}

// The events of the core that would be counted all the time if the cores were alike.
std::vector<std::size_t> core_events(const CountingPlan& counting) {
  if (counting.of_cores.empty()) return counting.always;
  std::vector<std::size_t> events = counting.always;
  for (std::size_t i = 0; i < counting.requested; ++i)
    if (!counting.refused[i] && counting.events[i].domain == Domain::core) events.push_back(i);
  return events;
}

// Tries the core's own registers, through the module tacho_pmu. Adds the reason if they do not
// work.
void try_registers(CountingPlan& counting, std::string& why_not) {
  const std::vector<std::size_t> events = core_events(counting);
  const auto is_core = [&](std::size_t event) {
    return counting.events[event].domain == Domain::core;
  };
  if (events.empty() || !std::ranges::all_of(events, is_core)) return;
  constexpr std::string_view kNeither = "; tacho_pmu's registers neither: ";
  if (!counting.sets.empty()) {
    why_not += fmt::format("{}events that take turns are the kernel's", kNeither);
    return;
  }
  const auto opened = arm::SelfRegisters::open(counting.events, events);
  counting.by_registers = opened.has_value();
  if (!opened) {
    why_not += fmt::format("{}{}", kNeither, opened.error().what);
    return;
  }
  counting.always = events;  // the thread may run on one core only
  counting.of_cores.clear();
  counting.parts.clear();
}

// While another object reads the core's registers, perf would take its counters away. So events of
// the core are refused.
void refuse_core_events_in_use(CountingPlan& counting) {
  if (!arm::SelfRegisters::in_use()) return;
  for (std::size_t i = 0; i < counting.events.size(); ++i)
    if (!counting.refused[i] && counting.events[i].domain == Domain::core)
      counting.refused[i] = arm::SelfRegisters::busy();
}

std::string explanation(const CountingPlan& counting, std::string_view why_not) {
  const auto counted = static_cast<std::size_t>(
      std::ranges::count_if(counting.refused, [](const auto& error) { return !error; }));
  if (counted == 0) return "nothing: none of the events can be counted";
  std::string text;
  if (counting.wish.user_reads)
    text = "registers that the program reads by itself";
  else if (counting.by_registers)
    text = fmt::format(
        "a CPU's registers, with all that runs there, opened by the module tacho_pmu: {}", why_not);
  else
    text = fmt::format("one read(2) of {}: {}",
                       !counting.of_cores.empty() ? "each group of counters"
                       : counted == 1             ? "the counter"
                                                  : "all counters",
                       why_not);
  if (!counting.of_cores.empty())
    text += fmt::format("; the cores are unequal, and {} {} counted", names_of_cores(counting),
                        counting.of_cores.size() == 1 ? "is" : "are");
  for (const std::string& notice : fallback_opener().notices()) text += "; " + notice;
  if (!counting.sets.empty())
    text += fmt::format("; {} sets of events take turns", counting.sets.size());
  return text;
}

// Opens all events as a thread will, to see which are refused and which read method works.
void try_out(CountingPlan& counting, CountScope scope) {
  std::string why_not;
  if (scope == CountScope::with_children)
    why_not = "what the thread starts from now on is counted, too";
  counting.wish = {.inherit = scope == CountScope::with_children,
                   .user_reads = why_not.empty(),
                   .unequal = !counting.of_cores.empty()};
  const auto try_group = [&](const std::vector<std::size_t>& which) {
    const SelfGroup group(counting.events, which, counting.wish, counting.refused);
    if (group.empty() || !why_not.empty()) return;
    why_not = group.why_not();
    if (!why_not.empty() || !group.turn(true)) return;
    why_not = group.obstacle().value_or("");
  };
  try_group(counting.always);
  for (const auto* groups : {&counting.sets, &counting.of_cores})
    for (const auto& group : *groups) try_group(group);
  counting.wish.user_reads = why_not.empty();
  if (arm::kReachable && scope == CountScope::this_thread && !why_not.empty())
    try_registers(counting, why_not);
  refuse_incomplete(counting, counting.refused);
  counting.explanation = explanation(counting, why_not);
}

}  // namespace

CountingPlan plan_counting(const std::vector<std::string>& names, CountScope scope,
                           std::optional<int> counters) {
  CountingPlan counting;
  const Catalogue catalogue;
  PerfEventPmu pmu(catalogue, Trust::checked);
  resolve(names, pmu, counting);
  refuse_core_events_in_use(counting);
  if (!unequal_cores().empty() && !counters)
    plan_on_unequal_cores(counting, pmu, unequal_cores().size());
  else
    plan_sets(counting, pmu, counters);
  try_out(counting, scope);
  const auto drop_refused = [&](std::vector<std::size_t>& group) {
    std::erase_if(group, [&](std::size_t event) { return counting.refused[event].has_value(); });
  };
  drop_refused(counting.always);
  for (auto* groups : {&counting.sets, &counting.of_cores}) {
    for (auto& group : *groups) drop_refused(group);
    std::erase_if(*groups, [](const auto& group) { return group.empty(); });
  }
  counting.set_of.resize(counting.events.size());
  for (std::size_t set = 0; set < counting.sets.size(); ++set)
    for (const std::size_t event : counting.sets[set]) counting.set_of[event] = set;
  return counting;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  if (const auto groups = split_events(list))
    for (const auto& group : *groups) names.insert(names.end(), group.begin(), group.end());
  else if (!list.empty())
    names.emplace_back(list);  // it will be refused by its name
  return names;
}

}  // namespace tacho::caliper
