// Bounds on what samples of single occurrences cost, such as those of each switch. Where there are
// too many, only those in a short window of each tick of the recorder are taken.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"
#include "perfdata/inventory.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

// Not thread-safe. The sampler outlives it, and has the events of the groups.
class SampleLimits {
 public:
  using Clock = std::chrono::steady_clock;

  // The events with SamplingTerms::most_in_tick are bounded.
  SampleLimits(std::span<const EventGroup> groups, Sampler& sampler);

  // Pauses events that have had too many samples in this tick. To be called often: a program that
  // switches all the time must not be held up for a whole tick.
  Result<void> pause_if_too_many(const perfdata::Inventory& inventory);
  // Begins a tick. Events go on if there were few switches in the last one. While some are paused,
  // a window is opened at a random place of the tick, so that it is not in step with the program.
  Result<void> begin_tick(const perfdata::Inventory& inventory, Clock::duration tick,
                          std::mt19937_64& random);
  // Opens and closes the window when it is time: see next_turn().
  Result<void> turn_window();
  Clock::time_point next_turn() const { return std::min(opens_, closes_); }
  bool have_paused() const { return have_paused_; }  // at any time

 private:
  struct Limited {
    std::size_t event = 0;
    std::uint64_t most = 0;   // samples in a tick
    bool has_window = false;  // in each tick, it goes on for a short time
    bool paused = false;
    std::uint64_t before = 0;  // its samples when the tick began
  };
  Result<void> pause_in_window(bool paused);

  Sampler& sampler_;
  std::vector<Limited> limited_;
  bool have_paused_ = false;
  std::uint64_t switches_before_ = 0;  // when the tick began
  Clock::time_point opens_ = Clock::time_point::max();
  Clock::time_point closes_ = Clock::time_point::max();
};

}  // namespace tacho
