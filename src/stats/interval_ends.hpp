// The two ends of a 95 % interval that is known by its half-width.
#pragma once

namespace tacho {

struct IntervalEnds {
  double low = 0, high = 0;
};

// Returns the ends of the interval of a positive quantity, such as a count, a time or a ratio of
// them. They are value / w and value · w with w = exp(2 asinh(r / 2)), where r is the half-width
// over the value. So they are equally far from the value on a logarithmic scale, and neither is
// below zero. For small r they are value · (1 ± r). This is the score interval of a quantity whose
// variance is proportional to its true value, as for counts: |value - μ| ≤ half_width √(μ / value)
// (L. D. Brown, T. T. Cai and A. DasGupta, Interval estimation in exponential families, Statistica
// Sinica 13 (2003)). Of a value of 0, or below, the ends are 0 and value + half_width, or value ±
// half_width.
IntervalEnds positive_ends95(double value, double half_width);

// Whether a person needs both ends, because one half-width would mislead: it is above 30 % of the
// value. Then the ends are at least 26 % below and 35 % above the value.
bool needs_both_ends(double value, double half_width);

}  // namespace tacho
