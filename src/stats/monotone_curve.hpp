// Curves that never fall, apart from noise: finds disturbed values, and where a share crosses one
// half.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tacho {

// The limits of a value that was measured in two ways.
struct Bounds {
  double low = 0;
  double high = 0;
};

constexpr Bounds between(double one, double other) {
  return one < other ? Bounds{one, other} : Bounds{other, one};
}

// Returns true for each value that is, in both ways, above `factor` times two later values plus
// `more`. If the true curve never falls, something disturbed this value and made it larger. Two
// later values are required, because one may be wrong itself.
std::vector<bool> stands_out(std::span<const Bounds> values, double factor, double more);

struct SharePoint {
  double x = 0;
  double share = 0;     // 0…1, on a curve that never falls, with noise
  double sigma = 0.05;  // standard deviation of the share
};

// Removes points whose share is above the least one of the same x by more than `more`. These points
// were measured several times, and a disturbance made the share larger.
std::vector<SharePoint> near_least(std::span<const SharePoint> points, double more);

struct Crossing {
  double x = 0;
  // The nearest points on either side whose share is significantly (95 %) below and above one half;
  // the first or last point if there is none.
  double low = 0, high = 0;
  double width = 0;  // distance from a share of one quarter to a share of three quarters
};

// Returns where the curve crosses one half, or none. The curve is the isotonic regression of the
// shares (pool adjacent violators: R. E. Barlow and others, Statistical Inference under Order
// Restrictions, 1972). If three or more places have shares from 0.2 to 0.8, the crossing is that of
// a line through these points. Otherwise it is between the two neighbours. `points` are by rising
// x.
std::optional<Crossing> half_crossing(std::span<const SharePoint> points);

}  // namespace tacho
