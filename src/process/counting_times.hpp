// For how long counting was on, in a run in which it is turned on and off.
#pragma once

#include <chrono>
#include <optional>

namespace tacho {

class CountingTimes {
 public:
  using Clock = std::chrono::steady_clock;

  bool is_on() const { return since_.has_value(); }
  bool was_on() const { return before_ > Clock::duration{}; }  // and was turned off again
  void turn_on(Clock::time_point now) { since_ = now; }
  void turn_off(Clock::time_point now) {
    before_ = until(now);
    since_.reset();
  }
  Clock::duration until(Clock::time_point now) const {
    return before_ + (since_ ? now - *since_ : Clock::duration{});
  }

 private:
  std::optional<Clock::time_point> since_;  // nothing while counting is off
  Clock::duration before_{};                // until it was turned off the last time
};

}  // namespace tacho
