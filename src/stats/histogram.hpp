// A histogram of whole numbers (ticks of a clock): exact counts, quantiles, and the location of
// most values. modes.hpp finds its peaks.
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

  // The bins by rising value; no bin is empty.
  std::span<const Bin> bins() const { return bins_; }

  // The least counted value that at least the share q (0…1) of the counted values does not exceed.
  // The histogram must not be empty.
  std::uint64_t quantile(double q) const;

  // The share of the counted values that is greater than `value`. The histogram must not be empty.
  double share_above(double value) const;

 private:
  std::vector<Bin> bins_;
  std::uint64_t total_ = 0;
};

// The location of most values of a histogram: the middle of the narrowest window that contains
// `share` of them. Outliers do not change it, unlike the mean. Their number does not change it,
// unlike the median. The other values may lie anywhere, but not closer together (P. J. Rousseeuw,
// J. Am. Stat. Assoc. 79 (1984): the least median of squares in one dimension). With a share below
// 1/2 it estimates the mode.
struct Location {
  double value = 0;
  // 95 % interval: the middles of all windows of this width whose share is not significantly
  // smaller, and at least half a step of the counter to either side. Of two windows that overlap,
  // only the values in one of them can differ by chance.
  double low = 0, high = 0;
  double width = 0;  // of the window, in ticks
};

// Returns the step of the values: all differences are multiples of it. 1 if the histogram has fewer
// than five different values.
std::uint64_t step_of(const Histogram&);

// Returns the usual step of the values, at most 64. Four in five of the values that differ from the
// most frequent one by at most 256 ticks differ by a multiple of it. 1 if there is no such step, or
// if there are too few values. The step may be a fraction: a counter of 2,445 MHz that advances 10⁸
// times a second advances by 24.45, which is read as 24 or 25. A counter of 2,596 MHz advances by
// 26 and sometimes by 25.
double usual_step(const Histogram&);

// The histogram must not be empty. `worth` is the information in one value, as a share of that in
// an independent value (clusters.hpp).
inline constexpr double kLocationShare = 0.4;
Location location(const Histogram&, double share = kLocationShare, double worth = 1);

// The same for a counter whose usual step is known. If the step is more than a twentieth of the
// value, the location is the mean of the values in the window and one step to either side. A
// duration that begins at a random moment is read as one of the two multiples of the step next to
// it, so the mean is right. The interval is the mean's standard error, plus the share of values
// outside times the step, because some of these values may belong inside.
Location location_between_steps(const Histogram&, double step);

}  // namespace tacho
