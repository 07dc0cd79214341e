// How often intervals hold a known truth, and how wide they are. Tests use it, and so does
// bench/part_coverage.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "stats/difference.hpp"
#include "stats/share.hpp"

namespace tacho {

// Random numbers that are the same for every standard library.
class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  bool happens(double probability) { return uniform() < probability; }
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(n));
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  double exponential(double mean) { return -mean * std::log(uniform()); }
  std::size_t poisson(double mean) {
    if (mean > 50)  // a normal distribution is near enough
      return static_cast<std::size_t>(std::max(0.0, std::round(mean + std::sqrt(mean) * normal())));
    std::size_t n = 0;
    for (double product = uniform(); product > std::exp(-mean); product *= uniform()) ++n;
    return n;
  }

 private:
  std::mt19937_64 engine_;
};

class IntervalScore {
 public:
  // Limits that are not finite mean that there is no interval.
  void add(const Estimated& it, double truth) {
    if (!std::isfinite(it.low) || !std::isfinite(it.high)) {
      ++without_;
      return;
    }
    constexpr double kRounding = 1e-9;
    const double missed = std::fabs(truth - it.value);
    const double reach = truth < it.value ? it.value - it.low : it.high - it.value;
    errors_.push_back(missed <= kRounding * std::fabs(truth) ? 0 : missed / std::max(reach, 1e-12));
    widths_.push_back((it.high - it.low) / 2 / std::fabs(truth));
  }
  void add(const IntervalScore& other) {
    errors_.insert(errors_.end(), other.errors_.begin(), other.errors_.end());
    widths_.insert(widths_.end(), other.widths_.begin(), other.widths_.end());
    without_ += other.without_;
  }

  std::size_t intervals() const { return errors_.size(); }
  std::size_t without() const { return without_; }
  // Share of the intervals that hold the truth, and the interval of this share itself.
  double held() const {
    const auto within = std::ranges::count_if(errors_, [](double e) { return e <= 1 + 1e-9; });
    return static_cast<double>(within) / static_cast<double>(std::max<std::size_t>(1, intervals()));
  }
  ShareInterval held95() const { return wilson95(held(), static_cast<double>(intervals())); }
  // Median half-width, as a share of the truth.
  double width() const { return quantile(widths_, 0.5); }
  // Width over the width that would hold 95 %: above 1 too wide, below 1 too narrow. Infinite if
  // 95 % of the estimates are the truth itself.
  double too_wide() const { return 1 / quantile(errors_, 0.95); }

 private:
  static double quantile(std::vector<double> values, double q) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  }

  std::vector<double> errors_;  // over the half of the interval on the truth's side
  std::vector<double> widths_;
  std::size_t without_ = 0;
};

}  // namespace tacho
