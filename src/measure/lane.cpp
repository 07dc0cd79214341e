#include "measure/lane.hpp"

namespace tacho {
namespace {

std::vector<Event> chosen(const Plan& plan, const std::vector<std::size_t>& indices) {
  std::vector<Event> events;
  for (const std::size_t index : indices) events.push_back(plan.events[index]);
  return events;
}

}  // namespace

Result<Lane> Lane::open(Pmu& pmu, const Plan& plan, const Target& target, Start start,
                        std::size_t first) {
  Lane lane;
  lane.refused_ = plan.refused;
  for (const auto& group : plan.always) {
    std::vector<std::size_t> slots;
    for (std::size_t i = 0; i < group.size(); ++i) slots.push_back(lane.slots_++);
    auto opened = pmu.open(chosen(plan, group), target, start);
    if (opened) {
      lane.always_.push_back({std::move(*opened), slots, {}});
      continue;
    }
    if (opened.error().code == ESRCH) return std::unexpected(opened.error());
    // One that can't be counted must not take the others of its group with it.
    for (std::size_t i = 0; i < group.size(); ++i) {
      auto alone = pmu.open({&plan.events[group[i]], 1}, target, start);
      if (alone)
        lane.always_.push_back({std::move(*alone), {slots[i]}, {}});
      else
        lane.refused_[group[i]] = alone.error();
    }
  }
  for (std::size_t set = 0; set < plan.sets.size(); ++set) {
    std::vector<Event> events = chosen(plan, plan.sets[set]);
    if (plan.reference) events.insert(events.begin(), plan.events[*plan.reference]);
    auto opened = pmu.open(events, target, set == first ? start : Start::stopped);
    if (!opened)
      for (const std::size_t index : plan.sets[set]) lane.refused_[index] = opened.error();
    lane.sets_.push_back(
        {opened ? std::move(*opened) : nullptr, {}, std::vector<Reading>(events.size())});
  }
  return lane;
}

Result<void> Lane::start_always() {
  for (const Open& open : always_)
    if (auto on = open.group->enable(); !on) return on;
  return {};
}

Result<void> Lane::turn_on(std::size_t set) {
  return sets_[set].group->enable();
}

Result<void> Lane::turn_off(std::size_t set, Period& period) {
  Open& open = sets_[set];
  const auto off = open.group->disable();
  std::vector<Reading> now(open.last.size());
  const auto read = open.group->read(now);
  period.reference = now[0].value - open.last[0].value;
  period.enabled_ns = now[0].enabled_ns - open.last[0].enabled_ns;
  period.running_ns = now[0].running_ns - open.last[0].running_ns;
  for (std::size_t i = 1; i < now.size(); ++i)
    period.counts.push_back(now[i].value - open.last[i].value);
  open.last = std::move(now);
  return off ? read : off;
}

Result<void> Lane::read_always(std::vector<Reading>& all) {
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

Result<void> Lane::follow(int cpu, bool online) {
  Result<void> done;
  for (const auto* opens : {&always_, &sets_})
    for (const Open& open : *opens)
      if (open.group)
        if (auto followed = open.group->follow(cpu, online); !followed && done) done = followed;
  return done;
}

}  // namespace tacho
