// Curves that never fall but for noise: what stands out of one, and where a share crosses one half.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tacho {

// Of a value that was measured in two ways.
struct Bounds {
  double low = 0;
  double high = 0;
};

constexpr Bounds between(double one, double other) {
  return one < other ? Bounds{one, other} : Bounds{other, one};
}

// Which of the values are, either way, more than `factor` times plus `more` than two later ones. If
// the true curve never falls, those were disturbed by something that adds. It takes two, for one
// may be wrong itself.
std::vector<bool> stands_out(std::span<const Bounds> values, double factor, double more);

struct SharePoint {
  double x = 0;
  double share = 0;     // 0…1, of an unknown curve that never falls, with noise
  double sigma = 0.05;  // its standard deviation
};

// Without those whose share is greater by `more` than another's of the same x: what was measured
// several times, and was disturbed by something that adds.
std::vector<SharePoint> near_least(std::span<const SharePoint> points, double more);

struct Crossing {
  double x = 0;
  double low = 0;   // the nearest points on either side whose shares are significantly (95 %) below
  double high = 0;  // and above one half; the first or last point where there is none
  double width = 0;  // from a share of one quarter to three quarters
};

// `points` by rising x. The curve is the isotonic regression of the shares (pool adjacent
// violators: R. E. Barlow and others, Statistical Inference under Order Restrictions, 1972), and
// the crossing that of the line through its points from 0.2 to 0.8, had three or more; of fewer,
// that between its neighbours. None when it does not cross.
std::optional<Crossing> half_crossing(std::span<const SharePoint> points);

}  // namespace tacho
