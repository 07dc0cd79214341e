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
  lane.reference_in_sets_ = plan.reference_in_sets;
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
    if (plan.reference && plan.reference_in_sets)
      events.insert(events.begin(), plan.events[*plan.reference]);
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

// What counts always has the reference in its first slot.
Result<std::uint64_t> Lane::reference_now() {
  std::vector<Reading> readings(always_.front().slots.size());
  if (auto read = always_.front().group->read(readings); !read)
    return std::unexpected(read.error());
  return readings.front().value;
}

// Where the reference is read beside the set, it is read before each turn, so that both stretches
// are equally long.
Result<void> Lane::turn_on(std::size_t set) {
  if (!reference_in_sets_) {
    const auto now = reference_now();
    if (!now) return std::unexpected(now.error());
    reference_at_turn_ = *now;
  }
  return sets_[set].group->enable();
}

Result<Period> Lane::turn_off(std::size_t set) {
  Open& open = sets_[set];
  Result<std::uint64_t> reference = 0;
  if (!reference_in_sets_ && !(reference = reference_now()))
    return std::unexpected(reference.error());
  if (auto off = open.group->disable(); !off) return std::unexpected(off.error());
  std::vector<Reading> now(open.last.size());
  if (auto read = open.group->read(now); !read) return std::unexpected(read.error());
  Period period;
  period.enabled_ns = now[0].enabled_ns - open.last[0].enabled_ns;
  period.running_ns = now[0].running_ns - open.last[0].running_ns;
  for (std::size_t i = 0; i < now.size(); ++i)
    period.counts.push_back(now[i].value - open.last[i].value);
  if (reference_in_sets_) {
    period.reference = period.counts.front();
    period.counts.erase(period.counts.begin());
  } else {
    period.reference = *reference - reference_at_turn_;
    // It counted on while the kernel had taken the set's counters away.
    if (period.running_ns < period.enabled_ns)
      period.reference = static_cast<std::uint64_t>(static_cast<double>(period.reference) *
                                                    static_cast<double>(period.running_ns) /
                                                    static_cast<double>(period.enabled_ns));
  }
  open.last = std::move(now);
  return period;
}

Result<std::vector<Reading>> Lane::read_always() {
  std::vector<Reading> all(slots_);
  std::vector<Reading> some;
  for (const Open& open : always_) {
    some.assign(open.slots.size(), Reading{});
    if (auto read = open.group->read(some); !read) return std::unexpected(read.error());
    for (std::size_t i = 0; i < some.size(); ++i) all[open.slots[i]] = some[i];
  }
  return all;
}

}  // namespace tacho
