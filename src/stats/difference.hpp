// How sure a difference of two independent estimates is.
#pragma once

namespace tacho {

// An estimate with its 95 % interval.
struct Estimated {
  double value = 0, low = 0, high = 0;
};

// The same in another unit, of which one is `by`.
Estimated scaled(const Estimated&, double by);

// after - before. G. Y. Zou and A. Donner, Construction of confidence limits about effect measures,
// Statistics in Medicine 27 (2008): each limit combines the distances of those limits of the two
// that can be there at once, whatever shape the intervals have. Of two shares with Wilson's
// intervals it is R. G. Newcombe's method 10, Statistics in Medicine 17 (1998).
Estimated difference95(const Estimated& before, const Estimated& after);

}  // namespace tacho
