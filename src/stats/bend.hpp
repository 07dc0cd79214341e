// Where a level curve begins to rise.
#pragma once

#include <optional>
#include <span>

namespace tacho {

struct BendPoint {
  double x = 0;
  double y = 0;
};

struct Bend {
  double x = 0;
  double low = 0, high = 0;  // 95 %
  double level = 0;          // before
};

// By least squares: a level, and behind the bend a line that begins there (D. V. Hinkley, Inference
// about the intersection in two-phase regression, Biometrika 56 (1969)). The interval has every x
// whose sum of squares is not significantly greater than the least (G. A. F. Seber, C. J. Wild,
// Nonlinear Regression, 1989, 5.4), and `x` is the middle of those that are hardly worse: a jump
// may be anywhere between its two points. `points` by rising x; `sigma` is what y is uncertain by
// at least. None of fewer than five points, and where nothing rises.
std::optional<Bend> find_bend(std::span<const BendPoint> points, double sigma);

}  // namespace tacho
