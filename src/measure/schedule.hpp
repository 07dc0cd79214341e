// Decides when each set has its turn.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace tacho {

// Each round gives every set one period, in a new random order, so a periodic workload cannot
// follow the order. All periods of a round have the same planned length. The length begins at the
// first one and grows by a tenth a round, up to the longest. So every set measures some of the
// workload's start, which is unlike the rest, and a short run has enough periods. If the end is
// known, the lengths shrink towards it in the same way. A period is at least 10 times the cost of
// the last turns in the first round; this factor grows to 100.
class Schedule {
 public:
  using Duration = std::chrono::nanoseconds;

  // Of the machine's time. Shorter periods would cost more than they measure.
  static constexpr Duration kFirst = std::chrono::microseconds(100);
  // Of simulated time, in which turns cost nothing: at 4 GHz, the start of a small program is over
  // after 20,000 cycles.
  static constexpr Duration kFirstSimulated = std::chrono::microseconds(5);

  // Planned lengths of periods.
  struct Lengths {
    Duration first = kFirst;
    Duration longest;
  };

  struct Turn {
    std::size_t set = 0;
    std::uint32_t round = 0;
    Duration length{};
  };

  Schedule(std::vector<std::size_t> sets, Lengths lengths, std::uint64_t seed);

  // `remaining` is the time until the end, if it is known.
  Turn next(std::optional<Duration> remaining = {});
  void turn_took(Duration cost);

  // The time that periods need to shrink from the longest to nothing.
  Duration shrinking_time() const;

 private:
  Duration planned(std::optional<Duration> remaining) const;

  std::vector<std::size_t> order_;
  std::size_t at_;
  std::uint32_t round_ = 0;
  Lengths lengths_;
  Duration length_{};  // of this round's periods
  Duration cost_{};    // of a turn: a moving average
  std::mt19937_64 random_;
};

}  // namespace tacho
