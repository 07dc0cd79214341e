// The costs of the last turns, and the lengths of the periods before them.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "stats/quantile.hpp"

namespace tacho {

class RecentTurns {
 public:
  using Duration = std::chrono::nanoseconds;

  // Number of recent turns whose medians are reported.
  static constexpr std::size_t kRecent = 4'096;

  // A period took `length`, and the turn at its end `cost`.
  void add(Duration length, Duration cost) {
    if (costs_.size() < kRecent) {
      costs_.push_back(cost);
      lengths_.push_back(length);
    } else {
      costs_[next_ % kRecent] = cost;
      lengths_[next_ % kRecent] = length;
    }
    ++next_;
  }

  double median_cost_s() const { return median_seconds(costs_); }
  double median_length_s() const { return median_seconds(lengths_); }

 private:
  static double median_seconds(const std::vector<Duration>& times) {
    if (times.empty()) return 0;
    std::vector<double> seconds;
    for (const Duration time : times) seconds.push_back(static_cast<double>(time.count()) / 1e9);
    return median(seconds);
  }

  std::vector<Duration> costs_;
  std::vector<Duration> lengths_;
  std::size_t next_ = 0;
};

}  // namespace tacho
