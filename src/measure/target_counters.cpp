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

// The error of sets that could count, but whose plan found nothing to scale them by.
Error without_reference() {
  return {"events that take turns are scaled by cycles or task-clock, and neither could be counted",
          "ask for fewer events at once, or raise 'ulimit -n'", EBUSY};
}

// Fills in what a set counted between two readings.
void fill_in_beside(Period& period, std::span<const Reading> before, std::span<const Reading> now,
                    std::uint64_t reference, bool on_some_cores) {
  period.enabled_ns = now[0].enabled_ns - before[0].enabled_ns;
  period.running_ns = now[0].running_ns - before[0].running_ns;
  for (std::size_t i = 0; i < now.size(); ++i) period.counts[i] = now[i].value - before[i].value;
  period.reference = reference;
  // The reference counted on while the kernel had taken the set's counters away. On other cores it
  // does not count either.
  if (period.running_ns < period.enabled_ns && !on_some_cores)
    period.reference = static_cast<std::uint64_t>(static_cast<double>(reference) *
                                                  static_cast<double>(period.running_ns) /
                                                  static_cast<double>(period.enabled_ns));
}

// The same for a set whose first event is the reference.
void fill_in(Period& period, std::span<const Reading> before, std::span<const Reading> now) {
  period.enabled_ns = now[0].enabled_ns - before[0].enabled_ns;
  period.running_ns = now[0].running_ns - before[0].running_ns;
  period.reference = now[0].value - before[0].value;
  for (std::size_t i = 1; i < now.size(); ++i)
    period.counts[i - 1] = now[i].value - before[i].value;
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
  counters.open_clock(pmu, plan, target, start);
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
    always_.push_back({.group = std::move(*opened), .slots = slots, .last = {}});
    return {};
  }
  const bool is_of_cpus = std::holds_alternative<SomeCpus>(target);
  if (opened.error().code == ESRCH || (opened.error().code == ENODEV && is_of_cpus))
    return std::unexpected(opened.error());
  // An event that cannot be counted must not exclude the others of its group: each is opened alone.
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto alone = pmu.open({&plan.events[group[i]], 1}, target, start);
    if (alone)
      always_.push_back({.group = std::move(*alone), .slots = {slots[i]}, .last = {}});
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
  Open opened{.group = {}, .slots = {}, .last = std::vector<Reading>(events.size())};
  opened.on_some_cores = !lane.pmu.empty();
  if (lane.reference) {
    lacking = refused_[*lane.reference];
    opened.whole_reference = plan.always_slot(*lane.reference);
    if (!lane.reference_in_sets) opened.reference_slot = opened.whole_reference;
  }
  if (!lacking) {
    auto group = pmu.open(events, target, start);
    if (!group)
      lacking = group.error();
    else if (!lane.reference)
      lacking = without_reference();
    else
      opened.group = std::move(*group);
  }
  if (lacking)
    for (const std::size_t index : plan.sets[set]) refused_[index] = lacking;
  sets_.push_back(std::move(opened));
}

// Events of the core can lose time (hold_against_time). If all events are of the core, one software
// event tells how much.
void TargetCounters::open_clock(Pmu& pmu, const Plan& plan, const Target& target, Start start) {
  const bool launched = std::holds_alternative<Launched>(target) && start == Start::at_exec;
  const bool of_task = launched || std::holds_alternative<Process>(target);
  if (!is_of_kernel(pmu.capabilities().kind) || !of_task || (!launched && plan.lanes.empty()))
    return;
  for (const auto& group : plan.always)
    for (const std::size_t index : group)
      if (plan.events[index].domain != Domain::core) return;
  if (always_.empty()) return;
  const auto dummy = pmu.resolve("dummy");
  if (!dummy || dummy->domain != Domain::software) return;
  if (auto opened = pmu.open({&*dummy, 1}, target, start)) clock_ = std::move(*opened);
}

std::uint64_t TargetCounters::task_ns() {
  Reading time;
  if (!clock_ || !clock_->read({&time, 1})) return 0;
  return time.enabled_ns;
}

Result<void> TargetCounters::start_always() {
  for (const Open& open : always_) TACHO_TRY(open.group->enable());
  if (clock_) return clock_->enable();
  return {};
}

Result<void> TargetCounters::stop_always() {
  Result<void> done;
  for (const Open& open : always_)
    if (auto stopped = open.group->disable(); !stopped && done) done = stopped;
  if (clock_)
    if (auto stopped = clock_->disable(); !stopped && done) done = stopped;
  return done;
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
// and before it is turned off. Both counts then cover the same time. So what the set counted while
// it was off must be left out: a grandchild that is forked while the kernel turns the set off stays
// on until the next turn. (If the set counts the reference, both go on together, and their ratio is
// right.)
Result<void> TargetCounters::turn_on(std::size_t set) {
  Open& open = sets_[set];
  Result<void> read;
  if (open.reference_slot) {
    read = open.group->read(open.last);
    open.begin_is_known = read.has_value();
    auto beside = read_reference(*open.reference_slot, open.reference_at_turn);
    if (!beside) read = beside;
  }
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
  open.unread = read ? std::nullopt : std::optional(read.error());
  open.was_read = open.was_read || read;
  period.counts.assign(now.size() - (open.reference_slot ? 0 : 1), 0);
  if (read && !open.reference_slot)
    fill_in(period, open.last, now);
  else if (read && beside && open.begin_is_known)
    fill_in_beside(period, open.last, now, reference - open.reference_at_turn, open.on_some_cores);
  if (read) open.last = std::move(now);
  for (const auto& done : {beside, off, read})
    if (!done) return done;
  return {};
}

Result<void> TargetCounters::read_always(std::vector<Reading>& all) {
  Result<void> done;
  all.assign(slots_, Reading{});
  std::vector<Reading> some;
  for (Open& open : always_) {
    some.assign(open.slots.size(), Reading{});
    const auto read = open.group->read(some);
    open.unread = read ? std::nullopt : std::optional(read.error());
    if (!read && done) done = read;
    for (std::size_t i = 0; i < some.size(); ++i) all[open.slots[i]] = some[i];
  }
  return done;
}

const Error* TargetCounters::unread_always(std::size_t slot) const {
  for (const Open& open : always_)
    if (open.unread && std::ranges::find(open.slots, slot) != open.slots.end())
      return &*open.unread;
  return nullptr;
}

const Error* TargetCounters::unread_set(std::size_t set) const {
  const Open& open = sets_[set];
  return open.unread && !open.was_read ? &*open.unread : nullptr;
}

const Error* TargetCounters::unread_reference(std::size_t set) const {
  const auto slot = sets_[set].whole_reference;
  return slot ? unread_always(*slot) : nullptr;
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
