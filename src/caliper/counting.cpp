#include "caliper/counting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "events/catalogue.hpp"
#include "measure/plan.hpp"
#include "pmu/arm_registers/self_registers.hpp"
#include "pmu/perf_event.hpp"

namespace tacho::caliper {
namespace {

// In the order asked; what the catalogue does not know has its name alone.
void resolve(const std::vector<std::string>& names, const PerfEventPmu& pmu, Counting& counting) {
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
    }
  }
  counting.asked = names.size();
}

// A plan of those that are known, in terms of all.
void adopt(Plan plan, Counting& counting) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < counting.asked; ++i)
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
  const auto adopted = [&](const std::vector<std::size_t>& group) {
    std::vector<std::size_t> members;
    for (const std::size_t i : group) members.push_back(places[i]);
    return members;
  };
  for (const auto& group : plan.always)
    for (const std::size_t member : adopted(group)) counting.always.push_back(member);
  for (const auto& set : plan.sets) counting.sets.push_back(adopted(set));
  if (plan.reference) counting.reference = places[*plan.reference];
}

// Software events go last, so that a register's event leads: it says for how long it was there.
void put_software_last(Counting& counting) {
  std::ranges::stable_partition(counting.always, [&](std::size_t event) {
    return counting.events[event].domain == Domain::core;
  });
}

// The same with the core's own registers, where their CPU is the only one. Says why not.
void try_registers(Counting& counting, std::string& why_not) {
  const auto is_core = [&](std::size_t event) {
    return counting.events[event].domain == Domain::core;
  };
  if (counting.always.empty() || !std::ranges::all_of(counting.always, is_core)) return;
  constexpr std::string_view kNeither = "; tacho_pmu's registers neither: ";
  if (!counting.sets.empty()) {
    why_not += fmt::format("{}events that take turns are the kernel's", kNeither);
    return;
  }
  const auto opened = arm::SelfRegisters::open(counting.events, counting.always);
  counting.by_registers = opened.has_value();
  if (!opened) why_not += fmt::format("{}{}", kNeither, opened.error().what);
}

// While registers are read, perf would take their counters away: the events are refused instead.
void spare_registers(Counting& counting) {
  if (!arm::SelfRegisters::in_use()) return;
  for (std::size_t i = 0; i < counting.events.size(); ++i)
    if (!counting.refused[i] && counting.events[i].domain == Domain::core)
      counting.refused[i] = arm::SelfRegisters::busy();
}

// Opens all as a thread will, for what comes to light then: what is refused, and whether registers
// can be read.
void try_out(Counting& counting, CountScope scope) {
  std::string why_not;
  if (scope == CountScope::with_children) why_not = "what the thread starts is counted too";
  counting.wish = {.inherit = scope == CountScope::with_children, .user_reads = why_not.empty()};
  const auto try_group = [&](const std::vector<std::size_t>& which) {
    const SelfGroup group(counting.events, which, counting.wish, counting.refused);
    if (group.empty() || !why_not.empty()) return;
    why_not = group.why_not();
    if (!why_not.empty() || !group.turn(true)) return;
    why_not = group.obstacle().value_or("");
  };
  try_group(counting.always);
  for (const auto& set : counting.sets) try_group(set);
  counting.wish.user_reads = why_not.empty();
  if (arm::kReachable && scope == CountScope::this_thread && !why_not.empty())
    try_registers(counting, why_not);
  const auto counted = static_cast<std::size_t>(
      std::ranges::count_if(counting.refused, [](const auto& error) { return !error; }));
  if (counted == 0)
    counting.explanation = "nothing: none of the events can be counted";
  else if (counting.wish.user_reads)
    counting.explanation = "registers that the program reads by itself";
  else if (counting.by_registers)
    counting.explanation = fmt::format(
        "a CPU's registers, with all that runs there, opened by the module tacho_pmu: {}", why_not);
  else
    counting.explanation = fmt::format("one read(2) of {}: {}",
                                       counted == 1 ? "the counter" : "all counters", why_not);
  if (!counting.sets.empty())
    counting.explanation += fmt::format("; {} sets of events take turns", counting.sets.size());
}

}  // namespace

ReadMethod Counting::read_method() const {
  if (always.empty() && sets.empty()) return ReadMethod::none;
  if (by_registers) return ReadMethod::registers;
  return wish.user_reads ? ReadMethod::user_page : ReadMethod::system_call;
}

Counting plan_counting(const std::vector<std::string>& names, CountScope scope,
                       std::optional<int> counters) {
  Counting counting;
  const Catalogue catalogue;
  PerfEventPmu pmu(catalogue, Trust::checked);
  resolve(names, pmu, counting);
  spare_registers(counting);
  std::vector<EventGroup> groups;
  for (std::size_t i = 0; i < counting.asked; ++i)
    if (!counting.refused[i]) groups.push_back({counting.events[i]});
  if (!groups.empty()) adopt(make_plan(pmu, groups, counters), counting);
  put_software_last(counting);
  try_out(counting, scope);
  const auto drop_refused = [&](std::vector<std::size_t>& group) {
    std::erase_if(group, [&](std::size_t event) { return counting.refused[event].has_value(); });
  };
  drop_refused(counting.always);
  for (auto& set : counting.sets) drop_refused(set);
  std::erase_if(counting.sets, [](const auto& set) { return set.empty(); });
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
    names.emplace_back(list);  // refused as it stands, by its name
  return names;
}

}  // namespace tacho::caliper
