// Opens, reads and turns the counters of a thread.
#include "caliper/live_counters.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "caliper/unequal_plan.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

constexpr std::chrono::milliseconds kLongestPeriod{10};

std::vector<std::size_t> numbers(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::unique_ptr<arm::SelfRegisters> open_registers(const CountingPlan& counting,
                                                   std::vector<std::optional<Error>>& refused) {
  auto opened = arm::SelfRegisters::open(counting.events, counting.always);
  if (opened) return std::move(*opened);
  for (const std::size_t event : counting.always) refused[event] = opened.error();
  return nullptr;
}

}  // namespace

LiveCounters::LiveCounters(const CountingPlan& counting, std::uint64_t seed)
    : counting_(counting),
      refused_(counting.refused),
      registers_(counting.by_registers ? open_registers(counting, refused_) : nullptr),
      always_(counting.events,
              counting.by_registers ? std::span<const std::size_t>() : counting.always,
              counting.wish, refused_),
      has_one_group_(counting.sets.empty() && counting.of_cores.empty()),
      schedule_(numbers(counting.sets.size()), {.longest = kLongestPeriod}, seed) {
  for (const auto& set : counting.sets)
    sets_.emplace_back(counting.events, set, counting.wish, refused_);
  for (const auto& group : counting.of_cores)
    of_cores_.emplace_back(counting.events, group, counting.wish, refused_);
  refuse_incomplete(counting, refused_);
  always_.turn(true);
  for (const SelfGroup& group : of_cores_) group.turn(true);
  if (sets_.empty()) return;
  if (takes_turns()) ticks_per_ns_ = tick_clock().hz * 1e-9;
  begin_turn();
}

SelfGroup::Times LiveCounters::always_times() const noexcept {
  Snapshot now;
  SelfGroup::Times times;
  if (always_.empty() || !always_.ask_kernel(now.values.data(), times)) return {};
  return times;
}

SelfGroup::Times LiveCounters::times_on_cores(std::size_t event) const noexcept {
  const auto& parts = counting_.parts[event];
  const auto counts_it = [&](std::size_t place) {
    return place == event || std::ranges::find(parts, place) != parts.end();
  };
  SelfGroup::Times sum;
  Snapshot now;
  for (const SelfGroup& group : of_cores_) {
    if (std::ranges::none_of(group.places(), counts_it)) continue;
    SelfGroup::Times times;
    if (!group.ask_kernel(now.values.data(), times)) return {};
    sum.enabled_ns = std::max(sum.enabled_ns, times.enabled_ns);
    sum.running_ns += times.running_ns;
  }
  return sum;
}

std::span<const SelfGroup::Page> LiveCounters::pages_of_all() const noexcept {
  const bool in_order =
      std::ranges::equal(always_.places(), std::views::iota(std::size_t{0}, counting_.requested));
  return has_one_group_ && in_order ? always_.pages() : std::span<const SelfGroup::Page>();
}

void LiveCounters::forget_pages() noexcept {
  // Not destroyed: the counters belong to the parent, and the thread that looks after them does not
  // exist in the child.
  (void)registers_.release();  // NOLINT(bugprone-unused-return-value)
  always_.forget_pages();
  for (auto* groups : {&sets_, &of_cores_})
    for (SelfGroup& group : *groups) group.forget_pages();
}

bool LiveCounters::read_always(Snapshot& now) noexcept {
  return always_.empty() || always_.read(now.values.data(), now.lost_ns);
}

std::uint64_t LiveCounters::reference(const Snapshot& now) const noexcept {
  return counting_.reference && !refused_[*counting_.reference] ? now.values[*counting_.reference]
                                                                : ticks();
}

bool LiveCounters::read_groups(Snapshot& now) noexcept {
  return sets_.empty() ? read_of_cores(now) : read_with_sets(now);
}

// The thread is on the cores of one PMU, so at most one group can read its registers. A group is
// enabled on all cores, but it counts on its own ones. If all core PMUs count, the time in which
// none did is lost to another user. Of the groups that the kernel reads, the first one's time
// enabled is taken: what the later ones run meanwhile can only make the lost time smaller. The
// groups were not turned on at once, so some microseconds are always missing.
bool LiveCounters::read_of_cores(Snapshot& now) noexcept {
  constexpr std::uint64_t kUncertainNs = 20'000;
  if (!read_always(now)) return false;
  std::optional<std::uint64_t> enabled_ns;
  std::uint64_t running_ns = 0;
  std::optional<std::uint64_t> elsewhere_ns;  // of the group that reads registers
  for (SelfGroup& group : of_cores_) {
    if (group.empty()) continue;
    std::uint64_t lost_ns = 0;
    if (!elsewhere_ns && group.read_here(now.values.data(), lost_ns)) {
      elsewhere_ns = lost_ns;
      continue;
    }
    SelfGroup::Times times;
    if (!group.ask_kernel(now.values.data(), times)) return false;
    if (!enabled_ns) enabled_ns = times.enabled_ns;
    running_ns += times.running_ns;
  }
  for (std::size_t event = 0; event < counting_.parts.size(); ++event) {
    if (counting_.parts[event].empty()) continue;
    now.values[event] = 0;
    for (const std::size_t part : counting_.parts[event]) now.values[event] += now.values[part];
  }
  const std::uint64_t whole_ns = elsewhere_ns ? *elsewhere_ns : enabled_ns.value_or(0);
  if (counting_.all_cores && whole_ns > running_ns + lost_on_cores_ns_ + kUncertainNs)
    lost_on_cores_ns_ = whole_ns - running_ns;
  now.lost_ns = lost_on_cores_ns_;
  return true;
}

bool LiveCounters::read_with_sets(Snapshot& now) noexcept {
  std::copy_n(at_turn_.values.begin(), counting_.events.size(), now.values.begin());
  std::copy_n(at_turn_.covered.begin(), sets_.size(), now.covered.begin());
  now.turns = at_turn_.turns;
  now.sets_lost_ns = at_turn_.sets_lost_ns;
  if (!read_always(now)) return false;
  std::uint64_t lost = lost_at_turn_;
  if (!sets_[active_set_].empty() && !sets_[active_set_].read(now.values.data(), lost))
    return false;
  now.sets_lost_ns += lost - lost_at_turn_;
  now.reference = reference(now);
  now.covered[active_set_] += now.reference - reference_at_turn_;
  return true;
}

void LiveCounters::begin_turn() noexcept {
  const Schedule::Turn next = schedule_.next();
  active_set_ = next.set;
  round_ = next.round;
  SelfGroup& set = sets_[active_set_];
  set.turn(true);
  SelfGroup::Times times;
  if (!set.empty()) set.ask_kernel(at_turn_.values.data(), times);
  lost_at_turn_ = times.enabled_ns - times.running_ns;
  Snapshot now;
  read_always(now);
  reference_at_turn_ = reference(now);
  turn_due_ = ticks() +
              static_cast<std::uint64_t>(static_cast<double>(next.length.count()) * ticks_per_ns_);
}

// Counts between the end of the old set and the begin of the new one belong to no set.
void LiveCounters::turn() noexcept {
  const std::uint64_t begun = ticks();
  Snapshot now;
  if (read_with_sets(now)) {
    std::copy_n(now.covered.begin(), sets_.size(), at_turn_.covered.begin());
    at_turn_.sets_lost_ns = now.sets_lost_ns;
  }
  SelfGroup::Times times;
  sets_[active_set_].turn(false);
  if (!sets_[active_set_].empty()) sets_[active_set_].ask_kernel(at_turn_.values.data(), times);
  ++at_turn_.turns;
  begin_turn();
  schedule_.turn_took(std::chrono::nanoseconds(
      static_cast<std::int64_t>(static_cast<double>(ticks() - begun) / ticks_per_ns_)));
}

}  // namespace tacho::caliper
