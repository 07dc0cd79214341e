// The difference of two independent estimates, with its interval.
#pragma once

namespace tacho {

// An estimate with its 95 % interval.
struct Estimated {
  double value = 0, low = 0, high = 0;
};

// An estimate whose limits are infinite, because nothing says how sure it is.
Estimated without_interval(double value);

// Returns the estimate in another unit: value and interval times `by`.
Estimated scaled(const Estimated&, double by);

// Returns after - before. Each limit of the interval combines the distances of the two limits that
// can occur together, so the intervals may have any shape (G. Y. Zou and A. Donner, Construction of
// confidence limits about effect measures, Statistics in Medicine 27 (2008)). For two shares with
// Wilson's intervals this is R. G. Newcombe's method 10, Statistics in Medicine 17 (1998).
Estimated difference95(const Estimated& before, const Estimated& after);

}  // namespace tacho
