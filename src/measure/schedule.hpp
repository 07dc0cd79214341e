// When to turn to which set.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace tacho {

// Each round gives every set one period, in an order drawn afresh, so that a periodic workload
// can't line up with it. All periods of a round are planned equally long. They start at 0.1 ms and
// grow by a tenth a round up to the longest: a workload's start is unlike the rest of it, so every
// set must see some of it, and a short run must have enough periods. Whatever the plan, a period is
// at least 10 times what the last turns cost in the first round, and in the end 100 times.
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
  Duration cost_{};    // of a turn, smoothed
  std::mt19937_64 random_;
};

}  // namespace tacho
