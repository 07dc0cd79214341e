// The counters of all targets of a run: those of its parts, or one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/find_targets.hpp"
#include "measure/schedule.hpp"
#include "measure/target_counters.hpp"

namespace tacho {

class RunTargets {
 public:
  using Turns = std::vector<Schedule::Turn>;

  // Opens the targets that are there. It is an error if none is.
  static Result<RunTargets> open(Pmu& pmu, const Plan& plan, std::span<const NamedTarget> wanted,
                                 Start start, const Turns& first);

  std::span<TargetCounters> counters() { return counters_; }
  // Of those that were opened.
  const std::vector<NamedTarget>& targets() const { return targets_; }
  // By event of the plan: why it is not counted. An event that counts on some of the CPUs is
  // counted.
  std::vector<std::optional<Error>> refused(const Plan& plan) const;

  // Starts the events that count all the time, and the sets whose turn it is. After an error, the
  // rest is not started.
  Result<void> start(const Turns& turns);
  // Stops the events that count all the time. The error is that of the first one.
  Result<void> stop_always();
  // Adds up the events that count all the time, one reading a slot, without the targets that are
  // in another one. The error is that of the first one that cannot be read.
  Result<void> read_always(std::vector<Reading>& sum);
  // What read_always() read of one target the last time.
  const std::vector<Reading>& last_always(std::size_t target) const { return always_[target]; }

 private:
  std::vector<TargetCounters> counters_;
  std::vector<NamedTarget> targets_;          // of the counters
  std::vector<std::vector<Reading>> always_;  // by target
};

}  // namespace tacho
