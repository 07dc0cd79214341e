// The counters of one thread, counting: read by that thread, at any time, as one snapshot. Events
// that need more counters than there are take turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "caliper/counting.hpp"
#include "measure/schedule.hpp"
#include "pmu/arm_registers/self_registers.hpp"
#include "pmu/self_group.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {

inline constexpr std::size_t kMostPlaces = SelfGroup::kMost;

// What had been counted up to a moment. A part is only of use for the places and sets that there
// are.
struct Snapshot {
  std::uint64_t lost_ns = 0;                      // during which what counts always had no counters
  std::uint64_t sets_lost_ns = 0;                 // and the sets while they were on
  std::uint64_t reference = 0;                    // where there are sets
  std::uint32_t turns = 0;                        // that had been made
  std::array<std::uint64_t, kMostPlaces> values;  // by place in Counting::events
  std::array<std::uint64_t, kMostPlaces> covered;  // by set: the reference while it was on

  // By what was counted between two others.
  void put_off(const Snapshot& from, const Snapshot& to, std::size_t sets) noexcept {
    reference += to.reference - from.reference;
    for (std::size_t i = 0; i < kMostPlaces; ++i) values[i] += to.values[i] - from.values[i];
    for (std::size_t i = 0; i < sets; ++i) covered[i] += to.covered[i] - from.covered[i];
  }
};

class LiveCounters {
 public:
  // Opens for the calling thread and turns on. `seed` is of the order in which sets take turns.
  LiveCounters(const Counting& counting, std::uint64_t seed);

  // Why an event is not counted in this thread.
  const std::vector<std::optional<Error>>& refused() const { return refused_; }
  bool takes_turns() const { return sets_.size() > 1; }
  const std::optional<std::size_t>& set_of(std::size_t event) const {
    return counting_.set_of[event];
  }
  bool by_call() const { return !counting_.wish.user_reads && !counting_.by_registers; }
  std::size_t sets() const { return sets_.size(); }
  std::size_t on() const { return on_; }          // the set that is on
  std::uint32_t round() const { return round_; }  // of turns: each round has one of every set

  [[gnu::always_inline]] bool turn_is_due() const noexcept {
    return takes_turns() && static_cast<std::int64_t>(ticks() - turn_due_) >= 0;
  }
  // No turn is due until one has been made.
  void hold_turns() noexcept { turn_due_ = ticks() + (~std::uint64_t{0} >> 2U); }
  // The next set's turn. Four system calls, and one or two more for each group that is read.
  void turn() noexcept;

  // False, and no use in the snapshot, when the kernel gave no counts.
  [[gnu::always_inline]] bool read(Snapshot& now) noexcept {
    if (arm::kReachable && registers_ != nullptr) return registers_->read(now.values.data());
    if (!sets_.empty()) return read_with_sets(now);
    return always_.empty() || always_.read(now.values.data(), now.lost_ns);
  }

  // The same where there are no sets: each event's count in its place of `values`.
  [[gnu::always_inline]] bool read_plainly(std::uint64_t* values) noexcept {
    if (arm::kReachable && registers_ != nullptr) return registers_->read(values);
    std::uint64_t lost_ns = 0;
    return always_.empty() || always_.read(values, lost_ns);
  }
  // The kernel's pages, if it shares them for all events in their order; else none.
  std::span<const SelfGroup::Page> pages_of_all() const noexcept;

  // Why nothing that was read is to be believed; nothing if all is. By any thread; some 100 µs
  // where registers are read without the kernel.
  std::optional<Error> doubt() const {
    return registers_ != nullptr ? registers_->doubt() : std::nullopt;
  }

  // For how long the events that count always have been on, and had counters. A system call.
  SelfGroup::Times always_times() const noexcept;

  // In a child after a fork: what it has of its parent's is not its own.
  void forget_pages() noexcept;

 private:
  bool read_with_sets(Snapshot& now) noexcept;
  bool read_always(Snapshot& now) noexcept;
  std::uint64_t reference(const Snapshot& now) const noexcept;
  void begin_turn() noexcept;

  const Counting& counting_;
  std::vector<std::optional<Error>> refused_;
  std::unique_ptr<arm::SelfRegisters> registers_;  // instead of all others
  SelfGroup always_;
  std::vector<SelfGroup> sets_;
  Schedule schedule_;
  std::size_t on_ = 0;
  std::uint32_t round_ = 0;
  double ticks_per_ns_ = 0;
  std::uint64_t turn_due_ = 0;        // in ticks
  std::uint64_t reference_then_ = 0;  // when the set was turned on
  std::uint64_t lost_then_ = 0;       // by the set, up to then
  Snapshot kept_{};  // as of the last turn: values of sets that are off, and their times
};

}  // namespace tacho::caliper
