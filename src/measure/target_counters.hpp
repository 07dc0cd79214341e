// The counters of one target, opened as a plan says: the groups that count all the time, and the
// sets that take turns.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/plan.hpp"
#include "stats/measurement.hpp"

namespace tacho {

class TargetCounters {
 public:
  // Opens every event that can be opened; refused() has the errors of the others. With
  // Start::at_exec the target's exec starts the groups that count all the time and the sets
  // `first`.
  static Result<TargetCounters> open(Pmu& pmu, const Plan& plan, const Target& target, Start start,
                                     std::span<const std::size_t> first);

  // By event of the plan: why it is not counted here.
  const std::vector<std::optional<Error>>& refused() const { return refused_; }
  bool opened(std::size_t set) const { return sets_[set].group != nullptr; }

  Result<void> start_always();
  Result<void> stop_always();
  Result<void> turn_on(std::size_t set);
  // Turns the set off. Fills in the counts, the reference and the two times of `period`, since the
  // set was turned on. If something cannot be read, the error is that of the first one. Then the
  // period has neither counts nor a reference; where each set counts the reference, too, both go to
  // the next period of the set.
  Result<void> turn_off(std::size_t set, Period& period);

  // Reads the events counted all the time, since the start: one reading a slot. An event that could
  // not be opened gives zeros. If something cannot be read, the error is that of the first one, and
  // its reading is the last one.
  Result<void> read_always(std::vector<Reading>& all);

  // Why there is no reading of an event that counts all the time: the last one failed. Null if it
  // did not.
  const Error* unread_always(std::size_t slot) const;
  // Why there is no reading of a set: all its turns until now failed. Null if one did not.
  const Error* unread_set(std::size_t set) const;
  // The same as unread_always() for the reference by which the set is scaled.
  const Error* unread_reference(std::size_t set) const;

  // The time for which a launched command and its children ran, in all, if the plan has no software
  // event that tells it; else 0.
  std::uint64_t task_ns();

  // Calls CounterGroup::follow for all groups: a CPU went offline or came online.
  Result<void> follow(int cpu, bool online);

 private:
  struct Open {
    std::unique_ptr<CounterGroup> group;
    std::vector<std::size_t> slots;    // of each reading, if the group counts all the time
    std::vector<Reading> last;         // of a set: the 64-bit virtual counters at the last turn
    bool begin_is_known = true;        // of a set: `last` was read when its turn began
    bool was_read = false;             // of a set: a turn was read
    std::optional<Error> unread = {};  // of the last reading
    std::optional<std::size_t> whole_reference = {};  // of a set: the slot of its reference
    // Of a set that does not count its reference itself: where the reference is read.
    std::optional<std::size_t> reference_slot = {};
    std::uint64_t reference_at_turn = 0;
    bool on_some_cores = false;  // of a set: it does not run on the other cores
  };

  Result<void> open_always(Pmu& pmu, const Plan& plan, const std::vector<std::size_t>& group,
                           const Target& target, Start start);
  void open_set(Pmu& pmu, const Plan& plan, std::size_t set, const Target& target, Start start);
  void open_clock(Pmu& pmu, const Plan& plan, const Target& target, Start start);
  Result<void> read_reference(std::size_t slot, std::uint64_t& reference);

  std::vector<Open> always_;
  std::vector<Open> sets_;
  std::unique_ptr<CounterGroup> clock_;  // an event that only keeps the time; or null
  std::size_t slots_ = 0;
  std::vector<std::optional<Error>> refused_;
};

}  // namespace tacho
