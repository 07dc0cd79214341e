// Where a level curve begins to rise, when it is known in which form it does.
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
  double low = 0, high = 0;  // 95 %
  double level = 0;          // before
  double rise = 0;           // y = level + rise · form(x / onset)
  double squares = 0;        // what is left of the points' y
};

// Zero up to 1.
using OnsetForm = std::function<double(double)>;

// By least squares over the onset, the level and the rise. The interval has every onset whose sum
// of squares is not significantly greater than the least (G. A. F. Seber, C. J. Wild, Nonlinear
// Regression, 1989, 5.4); `x` is the middle of those that are hardly worse, as a jump may be
// anywhere between its two points. `points` by rising x; `sigma` is what y is uncertain by at
// least. None of fewer than five points, and where nothing rises.
std::optional<Onset> find_onset(std::span<const OnsetPoint> points, const OnsetForm& form,
                                double sigma);

}  // namespace tacho
