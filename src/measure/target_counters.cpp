#include "measure/target_counters.hpp"

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
                                            Start start, std::size_t first) {
  TargetCounters lane;
  lane.refused_ = plan.refused;
  lane.reference_in_sets_ = plan.reference_in_sets;
  const bool is_one_cpu = std::holds_alternative<OneCpu>(target);
  std::vector<std::vector<std::size_t>> always = plan.always;
  if (!plan.truth.empty()) always.push_back(plan.truth);
  for (const auto& group : always) {
    std::vector<std::size_t> slots;
    for (std::size_t i = 0; i < group.size(); ++i) slots.push_back(lane.slots_++);
    auto opened = pmu.open(chosen(plan, group), target, start);
    if (opened) {
      lane.always_.push_back({std::move(*opened), slots, {}});
      continue;
    }
    if (opened.error().code == ESRCH || (opened.error().code == ENODEV && is_one_cpu))
      return std::unexpected(opened.error());
    // One that can't be counted must not take the others of its group with it.
    for (std::size_t i = 0; i < group.size(); ++i) {
      auto alone = pmu.open({&plan.events[group[i]], 1}, target, start);
      if (alone)
        lane.always_.push_back({std::move(*alone), {slots[i]}, {}});
      else
        lane.refused_[group[i]] = alone.error();
    }
  }
  // Beside which the sets' counts are put; without it they tell nothing.
  const std::optional<Error> lacking =
      plan.reference && !plan.reference_in_sets ? lane.refused_[*plan.reference] : std::nullopt;
  for (std::size_t set = 0; set < plan.sets.size(); ++set) {
    std::vector<Event> events = chosen(plan, plan.sets[set]);
    if (plan.reference && plan.reference_in_sets)
      events.insert(events.begin(), plan.events[*plan.reference]);
    auto opened = lacking ? std::unexpected(*lacking)
                          : pmu.open(events, target, set == first ? start : Start::stopped);
    if (!opened)
      for (const std::size_t index : plan.sets[set]) lane.refused_[index] = opened.error();
    lane.sets_.push_back(
        {opened ? std::move(*opened) : nullptr, {}, std::vector<Reading>(events.size())});
  }
  return lane;
}

Result<void> TargetCounters::start_always() {
  for (const Open& open : always_)
    if (auto on = open.group->enable(); !on) return on;
  return {};
}

// What counts always has the reference in its first slot; a set without it was not opened.
Result<void> TargetCounters::read_reference(std::uint64_t& reference) {
  std::vector<Reading> readings(always_.front().slots.size());
  const auto read = always_.front().group->read(readings);
  reference = readings.front().value;
  return read;
}

// Where the reference is read beside the set, it is read before each turn, so that both stretches
// are equally long.
Result<void> TargetCounters::turn_on(std::size_t set) {
  const auto read = reference_in_sets_ ? Result<void>() : read_reference(reference_at_turn_);
  const auto on = sets_[set].group->enable();
  return on ? read : on;
}

Result<void> TargetCounters::turn_off(std::size_t set, Period& period) {
  Open& open = sets_[set];
  std::uint64_t reference = 0;
  const auto beside = reference_in_sets_ ? Result<void>() : read_reference(reference);
  const auto off = open.group->disable();
  std::vector<Reading> now(open.last.size());
  const auto read = open.group->read(now);
  period.enabled_ns = now[0].enabled_ns - open.last[0].enabled_ns;
  period.running_ns = now[0].running_ns - open.last[0].running_ns;
  for (std::size_t i = 0; i < now.size(); ++i)
    period.counts.push_back(now[i].value - open.last[i].value);
  if (reference_in_sets_) {
    period.reference = period.counts.front();
    period.counts.erase(period.counts.begin());
  } else {
    period.reference = reference - reference_at_turn_;
    // It counted on while the kernel had taken the set's counters away.
    if (period.running_ns < period.enabled_ns)
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
