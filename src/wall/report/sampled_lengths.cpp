#include "wall/report/sampled_lengths.hpp"

#include <algorithm>
#include <cmath>

#include "stats/normal.hpp"
#include "stats/share.hpp"
#include "stats/student.hpp"

namespace tacho {

void AbsenceSum::add(std::uint64_t length_ns, double weight, std::uint64_t window) {
  longest_ns_ = std::max(longest_ns_, length_ns);
  if (weight == 1) {
    exact_ns_ += length_ns;
    ++exact_times_;
    return;
  }
  some_times_ += weight;
  const double weighted = weight * static_cast<double>(length_ns);
  some_ns_ += weighted;
  some_squares_ += weighted * weighted;
  by_window_[window] += weighted;
}

AbsenceSum& AbsenceSum::operator+=(const AbsenceSum& other) {
  exact_ns_ += other.exact_ns_;
  longest_ns_ = std::max(longest_ns_, other.longest_ns_);
  exact_times_ += other.exact_times_;
  some_times_ += other.some_times_;
  some_ns_ += other.some_ns_;
  some_squares_ += other.some_squares_;
  for (const auto& [window, all] : other.by_window_) by_window_[window] += all;
  return *this;
}

// `scale`: of what the others stand for.
WaitSum AbsenceSum::exact(double scale) const {
  const auto sum = static_cast<double>(exact_ns_);
  const double times = static_cast<double>(exact_times_) + scale * some_times_;
  return {.total_ns = sum,
          .low_ns = sum,
          .high_ns = sum,
          .longest_ns = longest_ns_,
          .times = times > 0 ? std::max(std::round(times), 1.0) : 0};
}

// The share of this place in all that was sampled, times the known sum. The variance of the share
// is that of a ratio of sums over the windows, which are the draws (W. G. Cochran, Sampling
// Techniques, 3rd ed., ch. 6 and 9). The interval is Wilson's for as many independent samples as
// have this variance, and never for more than the lengths themselves are worth.
WaitSum AbsenceSum::sum(const KnownSum& all_some, const AbsenceSum& whole) const {
  if (whole.some_ns_ <= 0 || all_some.ns <= 0) return exact(1);
  WaitSum sum =
      exact(all_some.times > 0 ? all_some.times / whole.some_times_ : all_some.ns / whole.some_ns_);
  const double share = some_ns_ / whole.some_ns_;
  const auto windows = static_cast<double>(whole.by_window_.size());
  double squares = 0;
  for (const auto& [window, all] : whole.by_window_) {
    const auto own = by_window_.find(window);
    const double off = (own == by_window_.end() ? 0 : own->second) - share * all;
    squares += off * off;
  }
  double samples =
      effective_samples({some_ns_, some_squares_}, {whole.some_ns_, whole.some_squares_});
  if (squares > 0) {
    const double variance =
        windows / std::max(windows - 1, 1.0) * squares / (whole.some_ns_ * whole.some_ns_);
    samples = std::min(samples, share * (1 - share) / variance);
  }
  const double wider = windows < 2 ? 0 : kTwoSided95 / student_t95(windows - 1);
  const ShareInterval ends = wilson95(share, samples * wider * wider);
  sum.total_ns += share * all_some.ns;
  sum.low_ns += ends.low * all_some.ns;
  sum.high_ns += ends.high * all_some.ns;
  return sum;
}

// Each sampled one stands for `weight` (Horvitz and Thompson 1952). The windows are the draws. The
// interval is symmetric in the logarithm, because lengths are not negative.
WaitSum AbsenceSum::sum() const {
  WaitSum sum = exact(1);
  if (some_ns_ <= 0) return sum;
  double squares = 0;
  for (const auto& [window, all] : by_window_) squares += all * all;
  const double factor = std::exp(kTwoSided95 * std::sqrt(squares) / some_ns_);
  sum.total_ns += some_ns_;
  sum.low_ns += some_ns_ / factor;
  sum.high_ns += some_ns_ * factor;
  return sum;
}

}  // namespace tacho
