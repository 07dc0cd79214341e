// The regularised incomplete beta function, from which the tails of Student's t and of the binomial
// distribution follow.
#pragma once

namespace tacho {

// Returns I(a, b; x), for a > 0 and b > 0 with a + b up to 1e8, and x within 0…1. y is 1 - x; it is
// passed because the subtraction would lose digits. Uses the continued fraction of DLMF 8.17.22.
double incomplete_beta(double a, double b, double x, double y);

}  // namespace tacho
