// Finds where a flat curve begins to rise. The form of the rise is known.
#pragma once

#include <functional>
#include <optional>
#include <span>

namespace tacho {

struct OnsetPoint {
  double x = 0;  // > 0
  double y = 0;
};

struct Onset {
  double x = 0;
  double low = 0, high = 0;  // 95 % interval of x
  double level = 0;          // y before the onset
  double rise = 0;           // y = level + rise · form(x / onset)
  double squares = 0;        // sum of the squared residuals
};

// The form of the rise; 0 up to form(1).
using OnsetForm = std::function<double(double)>;

// Fits the onset, the level and the rise by least squares. The interval has every onset whose sum
// of squares is not significantly greater than the least one (G. A. F. Seber, C. J. Wild, Nonlinear
// Regression, 1989, 5.4). A jump may be anywhere between its two points, so `x` is the middle of
// the onsets whose sum is greater by at most one variance. `points` are by rising x; `sigma` is the
// least uncertainty of y. Returns none for fewer than five points, or if nothing rises.
std::optional<Onset> find_onset(std::span<const OnsetPoint> points, const OnsetForm& form,
                                double sigma);

}  // namespace tacho
