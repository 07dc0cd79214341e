// Decides when each set has its turn.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace tacho {

// Each round gives every set one period, in a new random order, so a periodic workload cannot
// follow the order. All periods of a round have the same planned length. The length begins at 0.1
// ms and grows by a tenth a round, up to the longest. So every set measures some of the workload's
// start, which is unlike the rest, and a short run has enough periods. A period is at least 10
// times the cost of the last turns in the first round; this factor grows to 100.
class Schedule {
 public:
  using Duration = std::chrono::nanoseconds;

  struct Turn {
    std::size_t set = 0;
    std::uint32_t round = 0;
    Duration length{};
  };

  Schedule(std::vector<std::size_t> sets, Duration longest, std::uint64_t seed);

  Turn next();
  void turn_took(Duration cost);

 private:
  Duration planned() const;

  std::vector<std::size_t> order_;
  std::size_t at_;
  std::uint32_t round_ = 0;
  Duration longest_;
  Duration length_{};  // of this round's periods
  Duration cost_{};    // of a turn: a moving average
  std::mt19937_64 random_;
};

}  // namespace tacho
