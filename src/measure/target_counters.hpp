// The counters of one target, opened as a plan says: what counts always, and the sets that turn.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/plan.hpp"
#include "stats/measurement.hpp"

namespace tacho {

class TargetCounters {
 public:
  // Opens everything that can be opened; what can't is noted in refused(). With Start::at_exec the
  // target's exec starts what counts always, and the set `first`.
  static Result<TargetCounters> open(Pmu& pmu, const Plan& plan, const Target& target, Start start,
                                     std::size_t first);

  // An event of the plan: why it is not counted here.
  const std::vector<std::optional<Error>>& refused() const { return refused_; }
  bool opened(std::size_t set) const { return sets_[set].group != nullptr; }

  Result<void> start_always();
  Result<void> turn_on(std::size_t set);
  // Turns the set off and fills in what it counted since it was turned on: the counts, the
  // reference and the two times of `period`. What could not be read (an error tells of the first)
  // belongs to the period in which it can be read again.
  Result<void> turn_off(std::size_t set, Period& period);

  // What counts always, since the start: one reading a slot. An event that could not be opened
  // reads as all zero; what could not be read (an error tells of the first), as it was read last.
  Result<void> read_always(std::vector<Reading>& all);

  // A CPU has gone offline, or come online: for all groups (CounterGroup::follow).
  Result<void> follow(int cpu, bool online);

 private:
  struct Open {
    std::unique_ptr<CounterGroup> group;
    std::vector<std::size_t> slots;  // of what counts always: where each reading belongs
    std::vector<Reading> last;       // the 64-bit virtual counters at the last turn
  };

  Result<void> read_reference(std::uint64_t& reference);

  std::vector<Open> always_;
  std::vector<Open> sets_;
  bool reference_in_sets_ = true;
  std::uint64_t reference_at_turn_ = 0;  // where the sets have none of their own
  std::size_t slots_ = 0;
  std::vector<std::optional<Error>> refused_;
};

}  // namespace tacho
