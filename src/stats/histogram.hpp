// A histogram of whole numbers (ticks of a clock): exact counts, quantiles, and where most of it
// lies. Its peaks are in modes.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacho {

class Histogram {
 public:
  struct Bin {
    std::uint64_t value = 0;
    std::uint64_t count = 0;
    bool operator==(const Bin&) const = default;
  };

  // Counts `value` n times more. Values may come in any order.
  void add(std::uint64_t value, std::uint64_t n = 1);

  std::uint64_t total() const { return total_; }
  bool empty() const { return total_ == 0; }

  // By rising value; no bin is empty.
  std::span<const Bin> bins() const { return bins_; }

  // The least value that at least the share q (0…1) of what was counted does not exceed: always a
  // value that was counted. Not of an empty histogram.
  std::uint64_t quantile(double q) const;

  // The part of what was counted that is greater than `value`. Not of an empty histogram.
  double share_above(double value) const;

 private:
  std::vector<Bin> bins_;
  std::uint64_t total_ = 0;
};

// Where most of a histogram lies: the middle of the narrowest window that holds `share` of it.
// Unlike the mean it does not see outliers, and unlike the median it does not move with how many
// there are: 1 - share of what was counted may lie anywhere as long as it does not lie closer
// together (P. J. Rousseeuw, J. Am. Stat. Assoc. 79 (1984), the least median of squares in one
// dimension; with a share below 1/2 it is an estimator of the mode).
struct Location {
  double value = 0;
  double low = 0;    // 95 %: the middles of all windows as narrow whose share is not significantly
  double high = 0;   // smaller, and no less than half a step of the counter to either side
  double width = 0;  // of the window
};

// By how much the values step: what all differences of a histogram are multiples of; 1 when too few
// values tell it.
std::uint64_t step_of(const Histogram&);

// By how much they step as a rule, up to 64: what four in five of those that differ from the most
// frequent one, by 256 at most, differ by a multiple of; 1 when too few do. No whole number where a
// counter goes on by a part of its unit: one of 2,445 MHz that steps 10⁸ times a second by 24.45,
// which is read as 24 or 25. One of 2,596 MHz steps by 26, and by 25 now and then.
double usual_step(const Histogram&);

// Not of an empty histogram. `worth`: what each value tells, of what an independent one would.
inline constexpr double kLocationShare = 0.4;
Location location(const Histogram&, double share = kLocationShare, double worth = 1);

// The same, of a counter whose usual step is known. Where that is more than a twentieth of the
// value, it is the mean of what lies in the window and a step to either side: what begins at no
// particular moment is read as one of the two multiples of the step around it, and their mean is
// right. The interval has its standard error, and as much of a step as lies outside: these may have
// reached in.
Location location_between_steps(const Histogram&, double step);

}  // namespace tacho
