// The schedules of all lanes of a plan. Each lane has sets and rounds of its own, but all lanes
// turn at the same moments. Where all cores are alike, there is one lane.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/plan.hpp"
#include "measure/schedule.hpp"

namespace tacho {

class LaneSchedules {
 public:
  LaneSchedules(const Plan& plan, Schedule::Lengths lengths, std::uint64_t seed) {
    for (const std::vector<std::size_t>& sets : plan.sets_of_lanes())
      schedules_.emplace_back(sets, lengths, seed + schedules_.size());
  }

  // The turns of now, one for each lane whose sets take turns.
  const std::vector<Schedule::Turn>& turns() const { return turns_; }

  // Goes on to the next turns. `remaining` is the time until the end, if it is known.
  void next(std::optional<Schedule::Duration> remaining = {}) {
    turns_.clear();
    for (Schedule& schedule : schedules_) turns_.push_back(schedule.next(remaining));
  }

  void turn_took(Schedule::Duration cost) {
    for (Schedule& schedule : schedules_) schedule.turn_took(cost);
  }

  // The time that periods need to shrink from the longest to nothing.
  Schedule::Duration shrinking_time() const {
    return schedules_.empty() ? Schedule::Duration() : schedules_.front().shrinking_time();
  }

 private:
  std::vector<Schedule> schedules_;
  std::vector<Schedule::Turn> turns_;
};

}  // namespace tacho
