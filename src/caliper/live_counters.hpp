// LiveCounters: the open counters of one thread, which the thread reads as one snapshot. If there
// are more events than counters, event sets take turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "caliper/counting_plan.hpp"
#include "measure/schedule.hpp"
#include "pmu/perf/self_group.hpp"
#include "pmu/registers/self_registers.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {

inline constexpr std::size_t kMaxPlaces = SelfGroup::kMost;

// The counts up to one moment. Elements of the arrays without an event or a set mean nothing.
struct Snapshot {
  std::uint64_t lost_ns = 0;       // the time in which the group `always` had no counters
  std::uint64_t sets_lost_ns = 0;  // the time in which an active set had no counters
  std::uint64_t reference = 0;     // if there are sets
  std::uint32_t turns = 0;         // how many turns were made
  std::array<std::uint64_t, kMaxPlaces> values;   // by index in CountingPlan::events
  std::array<std::uint64_t, kMaxPlaces> covered;  // by set: the reference while it was active

  // Adds what was counted between two snapshots. As a start, it then excludes these counts.
  void shift(const Snapshot& from, const Snapshot& to, std::size_t sets) noexcept {
    reference += to.reference - from.reference;
    for (std::size_t i = 0; i < kMaxPlaces; ++i) values[i] += to.values[i] - from.values[i];
    for (std::size_t i = 0; i < sets; ++i) covered[i] += to.covered[i] - from.covered[i];
  }
};

class LiveCounters {
 public:
  // Opens the counters for the calling thread and turns them on. `seed` is for the order in which
  // the sets take turns. `counting` must live as long as this object.
  LiveCounters(const CountingPlan& counting, std::uint64_t seed);

  // By event: why it is not counted in this thread.
  const std::vector<std::optional<Error>>& refused() const { return refused_; }
  bool takes_turns() const { return sets_.size() > 1; }
  const std::optional<std::size_t>& set_of(std::size_t event) const {
    return counting_.set_of[event];
  }
  bool by_system_call() const { return !counting_.wish.user_reads && !counting_.by_registers; }
  std::size_t sets() const { return sets_.size(); }
  // Whether one group has all events: there are no sets, and all cores are alike.
  bool has_one_group() const { return has_one_group_; }
  std::size_t active_set() const { return active_set_; }
  std::uint32_t round() const { return round_; }  // a round has one turn of each set

  [[gnu::always_inline]] bool turn_is_due() const noexcept {
    return takes_turns() && static_cast<std::int64_t>(ticks() - turn_due_) >= 0;
  }
  // Makes no turn due until turn() is called.
  void hold_turns() noexcept { turn_due_ = ticks() + (~std::uint64_t{0} >> 2U); }
  // Turns to the next set. Takes four system calls, and one or two more for each group that is
  // read.
  void turn() noexcept;

  // Returns false, and a snapshot without meaning, if the kernel gave no counts.
  [[gnu::always_inline]] bool read(Snapshot& now) noexcept {
    if (arm::kReachable && registers_ != nullptr) return registers_->read(now.values.data());
    if (!has_one_group_) return read_groups(now);
    return always_.empty() || always_.read(now.values.data(), now.lost_ns);
  }

  // The same if there is one group: writes the count of each event to its place in `values`.
  [[gnu::always_inline]] bool read_plainly(std::uint64_t* values) noexcept {
    if (arm::kReachable && registers_ != nullptr) return registers_->read(values);
    std::uint64_t lost_ns = 0;
    return always_.empty() || always_.read(values, lost_ns);
  }
  // The pages that the kernel shares, if there is one for each event in the requested order. Else
  // empty.
  std::span<const SelfGroup::Page> pages_of_all() const noexcept;

  // Why the counts must not be believed, if there is a reason. Any thread may call it. It takes
  // about 100 µs if registers are read without the kernel.
  std::optional<Error> doubt() const {
    return registers_ != nullptr ? registers_->doubt() : std::nullopt;
  }

  // For how long the group `always` was enabled, and for how long it had counters. Makes a system
  // call.
  SelfGroup::Times always_times() const noexcept;
  // The same on unequal cores for an event of the core: for how long it was enabled, and for how
  // long the thread was on the cores of its PMUs and it had counters there. A system call for each
  // PMU.
  SelfGroup::Times times_on_cores(std::size_t event) const noexcept;

  // Gives up what belongs to the parent process. For the child of a fork.
  void forget_pages() noexcept;

 private:
  bool read_groups(Snapshot& now) noexcept;
  bool read_with_sets(Snapshot& now) noexcept;
  bool read_of_cores(Snapshot& now) noexcept;
  bool read_always(Snapshot& now) noexcept;
  std::uint64_t reference(const Snapshot& now) const noexcept;
  void begin_turn() noexcept;

  const CountingPlan& counting_;
  std::vector<std::optional<Error>> refused_;
  std::unique_ptr<arm::SelfRegisters> registers_;  // if not null, the groups below are empty
  SelfGroup always_;
  std::vector<SelfGroup> sets_;
  std::vector<SelfGroup> of_cores_;  // on unequal cores: one for each core PMU
  bool has_one_group_;
  std::uint64_t lost_on_cores_ns_ = 0;
  Schedule schedule_;
  std::size_t active_set_ = 0;
  std::uint32_t round_ = 0;
  double ticks_per_ns_ = 0;
  std::uint64_t turn_due_ = 0;           // in ticks
  std::uint64_t reference_at_turn_ = 0;  // when the active set was turned on
  std::uint64_t lost_at_turn_ = 0;       // the active set's lost time until then, in ns
  Snapshot at_turn_{};                   // at the last turn, for the sets that are not active
};

}  // namespace tacho::caliper
