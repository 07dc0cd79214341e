#include "measure/target_counters.hpp"

#include <algorithm>
#include <cerrno>
#include <variant>

namespace tacho {
namespace {

std::vector<Event> chosen(const Plan& plan, const std::vector<std::size_t>& indices) {
  std::vector<Event> events;
  for (const std::size_t index : indices) events.push_back(plan.events[index]);
  return events;
}

}  // namespace

Result<TargetCounters> TargetCounters::open(Pmu& pmu, const Plan& plan, const Target& target,
                                            Start start, std::span<const std::size_t> first) {
  TargetCounters counters;
  counters.refused_ = plan.refused;
  for (const auto& group : plan.always)
    TACHO_TRY(counters.open_always(pmu, plan, group, target, start));
  if (!plan.truth.empty()) TACHO_TRY(counters.open_always(pmu, plan, plan.truth, target, start));
  for (std::size_t set = 0; set < plan.sets.size(); ++set)
    counters.open_set(pmu, plan, set, target,
                      std::ranges::find(first, set) != first.end() ? start : Start::stopped);
  return counters;
}

// Opens a group that counts all the time. It is an error only if the target has gone.
Result<void> TargetCounters::open_always(Pmu& pmu, const Plan& plan,
                                         const std::vector<std::size_t>& group,
                                         const Target& target, Start start) {
  std::vector<std::size_t> slots;
  for (std::size_t i = 0; i < group.size(); ++i) slots.push_back(slots_++);
  auto opened = pmu.open(chosen(plan, group), target, start);
  if (opened) {
    always_.push_back({std::move(*opened), slots, {}});
    return {};
  }
  const bool is_one_cpu = std::holds_alternative<OneCpu>(target);
  if (opened.error().code == ESRCH || (opened.error().code == ENODEV && is_one_cpu))
    return std::unexpected(opened.error());
  // An event that cannot be counted must not exclude the others of its group: each is opened alone.
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto alone = pmu.open({&plan.events[group[i]], 1}, target, start);
    if (alone)
      always_.push_back({std::move(*alone), {slots[i]}, {}});
    else
      refused_[group[i]] = alone.error();
  }
  return {};
}

void TargetCounters::open_set(Pmu& pmu, const Plan& plan, std::size_t set, const Target& target,
                              Start start) {
  std::vector<Event> events = chosen(plan, plan.sets[set]);
  const PlannedLane lane = plan.lane_of(set);
  if (lane.reference && lane.reference_in_sets)
    events.insert(events.begin(), plan.events[*lane.reference]);
  // The sets are scaled by the reference. If it could not be opened, they are useless.
  std::optional<Error> lacking;
  Open opened{nullptr, {}, std::vector<Reading>(events.size())};
  opened.on_some_cores = !lane.pmu.empty();
  if (lane.reference && !lane.reference_in_sets) {
    lacking = refused_[*lane.reference];
    opened.reference_slot = plan.always_slot(*lane.reference);
  }
  if (!lacking) {
    auto group = pmu.open(events, target, start);
    if (group)
      opened.group = std::move(*group);
    else
      lacking = group.error();
  }
  if (lacking)
    for (const std::size_t index : plan.sets[set]) refused_[index] = lacking;
  sets_.push_back(std::move(opened));
}

Result<void> TargetCounters::start_always() {
  for (const Open& open : always_) TACHO_TRY(open.group->enable());
  return {};
}

// If the reference could not be opened, no set was opened either, and this is not called.
Result<void> TargetCounters::read_reference(std::size_t slot, std::uint64_t& reference) {
  for (const Open& open : always_) {
    const auto found = std::ranges::find(open.slots, slot);
    if (found == open.slots.end()) continue;
    std::vector<Reading> readings(open.slots.size());
    const auto read = open.group->read(readings);
    reference = readings[static_cast<std::size_t>(found - open.slots.begin())].value;
    return read;
  }
  return {};
}

// If the sets have no counter of the reference, the reference is read before the set is turned on
// and before it is turned off. Both counts then cover the same time.
Result<void> TargetCounters::turn_on(std::size_t set) {
  Open& open = sets_[set];
  Result<void> read;
  if (open.reference_slot) read = read_reference(*open.reference_slot, open.reference_at_turn);
  TACHO_TRY(open.group->enable());
  return read;
}

Result<void> TargetCounters::turn_off(std::size_t set, Period& period) {
  Open& open = sets_[set];
  std::uint64_t reference = 0;
  Result<void> beside;
  if (open.reference_slot) beside = read_reference(*open.reference_slot, reference);
  const auto off = open.group->disable();
  std::vector<Reading> now(open.last.size());
  const auto read = open.group->read(now);
  period.enabled_ns = now[0].enabled_ns - open.last[0].enabled_ns;
  period.running_ns = now[0].running_ns - open.last[0].running_ns;
  for (std::size_t i = 0; i < now.size(); ++i)
    period.counts.push_back(now[i].value - open.last[i].value);
  if (!open.reference_slot) {
    period.reference = period.counts.front();
    period.counts.erase(period.counts.begin());
  } else {
    period.reference = reference - open.reference_at_turn;
    // The reference counted on while the kernel had taken the set's counters away. On other cores
    // it does not count either.
    if (period.running_ns < period.enabled_ns && !open.on_some_cores)
      period.reference = static_cast<std::uint64_t>(static_cast<double>(period.reference) *
                                                    static_cast<double>(period.running_ns) /
                                                    static_cast<double>(period.enabled_ns));
  }
  open.last = std::move(now);
  for (const auto& done : {beside, off, read})
    if (!done) return done;
  return {};
}

Result<void> TargetCounters::read_always(std::vector<Reading>& all) {
  Result<void> done;
  all.assign(slots_, Reading{});
  std::vector<Reading> some;
  for (const Open& open : always_) {
    some.assign(open.slots.size(), Reading{});
    if (auto read = open.group->read(some); !read && done) done = read;
    for (std::size_t i = 0; i < some.size(); ++i) all[open.slots[i]] = some[i];
  }
  return done;
}

Result<void> TargetCounters::follow(int cpu, bool online) {
  Result<void> done;
  for (const auto* opens : {&always_, &sets_})
    for (const Open& open : *opens)
      if (open.group)
        if (auto followed = open.group->follow(cpu, online); !followed && done) done = followed;
  return done;
}

}  // namespace tacho
