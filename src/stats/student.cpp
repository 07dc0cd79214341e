// Computes quantiles by bisection on the tail, which is an incomplete beta function.
#include "stats/student.hpp"

#include <algorithm>
#include <cmath>

#include "stats/incomplete_beta.hpp"

namespace tacho {
namespace {

// P(|T| > t), for degrees within their range.
double two_tails(double t, double nu) {
  const double square = t * t;
  return incomplete_beta(nu / 2, 0.5, nu / (nu + square), square / (nu + square));
}

double in_range(double degrees) {
  return std::clamp(degrees, 1.0, 1e6);
}

}  // namespace

double student_tails(double t, double degrees) {
  return std::isfinite(t) ? two_tails(t, in_range(degrees)) : 0;
}

double student_t(double tails, double degrees) {
  const double nu = in_range(degrees);
  double high = 1;
  while (two_tails(high, nu) > tails) high *= 2;
  double low = 0;
  while (high - low > 1e-12 * high) {
    const double t = (low + high) / 2;
    (two_tails(t, nu) > tails ? low : high) = t;
  }
  return (low + high) / 2;
}

double student_t95(double degrees) {
  return student_t(0.05, degrees);
}

double freedom_of_differences(double m) {
  const double known = std::max(2.0, m);
  return std::max(1.0, 2 * (known - 1) * (known - 1) / (3 * known - 4) - 1);
}

}  // namespace tacho
