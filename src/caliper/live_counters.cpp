// Opens, reads and turns the counters of a thread.
#include "caliper/live_counters.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

constexpr std::chrono::milliseconds kLongestPeriod{10};

std::vector<std::size_t> numbers(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

const std::vector<std::size_t> kNone;

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
      always_(counting.events, counting.by_registers ? kNone : counting.always, counting.wish,
              refused_),
      schedule_(numbers(counting.sets.size()), {.longest = kLongestPeriod}, seed) {
  for (const auto& set : counting.sets)
    sets_.emplace_back(counting.events, set, counting.wish, refused_);
  always_.turn(true);
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

std::span<const SelfGroup::Page> LiveCounters::pages_of_all() const noexcept {
  const bool in_order =
      std::ranges::equal(always_.places(), std::views::iota(std::size_t{0}, counting_.requested));
  return sets_.empty() && in_order ? always_.pages() : std::span<const SelfGroup::Page>();
}

void LiveCounters::forget_pages() noexcept {
  // Not destroyed: the counters belong to the parent, and the thread that looks after them does not
  // exist in the child.
  (void)registers_.release();  // NOLINT(bugprone-unused-return-value)
  always_.forget_pages();
  for (SelfGroup& set : sets_) set.forget_pages();
}

bool LiveCounters::read_always(Snapshot& now) noexcept {
  return always_.empty() || always_.read(now.values.data(), now.lost_ns);
}

std::uint64_t LiveCounters::reference(const Snapshot& now) const noexcept {
  return counting_.reference && !refused_[*counting_.reference] ? now.values[*counting_.reference]
                                                                : ticks();
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
