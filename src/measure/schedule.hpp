// When to turn to which set.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace tacho {

// Each round gives every set one period, in an order drawn afresh, so that a periodic workload
// can't line up with it. All periods of a round are planned equally long. They start at 1 ms, so
// that a short run has enough of them, and from the thirteenth round on grow by a tenth a round up
// to the longest. Whatever the plan, a period is at least 100 times what the last turns cost (20
// times in the first twelve rounds, which together then cost a few milliseconds once).
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
