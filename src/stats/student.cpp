// Computes the quantile by bisection on the regularised incomplete beta function.
#include "stats/student.hpp"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// The continued fraction of DLMF 8.17.22, evaluated by Lentz's method. Converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMaxTerms = 10'000;
  const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= c * d;
    if (std::fabs(c * d - 1) < 1e-14) break;
  }
  return fraction;
}

// Returns I(a, b; x). y is 1 - x; it is passed because the subtraction would lose digits.
double incomplete_beta(double a, double b, double x, double y) {
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(y));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, y) / b;
}

}  // namespace

double student_t95(double degrees) {
  const double nu = std::clamp(degrees, 1.0, 1e6);
  double low = 1.9;
  double high = 13;
  while (high - low > 1e-11) {
    const double t = (low + high) / 2;
    const double square = t * t;
    const double tail = incomplete_beta(nu / 2, 0.5, nu / (nu + square), square / (nu + square));
    (tail > 0.05 ? low : high) = t;
  }
  return (low + high) / 2;
}

double freedom_of_differences(double m) {
  const double known = std::max(2.0, m);
  return std::max(1.0, 2 * (known - 1) * (known - 1) / (3 * known - 4) - 1);
}

}  // namespace tacho
