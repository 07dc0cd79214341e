// The share of a part in a sample, and how sure it is. docs/profiles.md gives the reasons.
#pragma once

#include <cstdint>
#include <optional>

namespace tacho {

struct ShareInterval {
  double low = 0, high = 1;
};

// The 95 % interval of a share: `share` of `samples` were of this part. E. B. Wilson, Probable
// inference, the law of succession, and statistical inference, J. Amer. Stat. Assoc. 22 (1927);
// unlike share ± 1.96 standard errors it stays within 0…1 and holds for few samples, and for none
// of many (L. D. Brown, T. T. Cai, A. DasGupta, Interval estimation for a binomial proportion,
// Statistical Science 16 (2001)). `samples` needs not be whole; 0 of them tell nothing: 0…1; of
// infinitely many the share is exact.
ShareInterval wilson95(double share, double samples);

// How many samples of equal weight tell as much as samples whose weights add up to `sum` and whose
// squares do to `squares`: sum² / squares (L. Kish, Survey Sampling, 1965, 11.7).
double effective_samples(double sum, double squares);

// Two parts of one sample: whether their shares differ, at 95 % confidence. Of a multinomial sample
// (a - b) has the variance (a + b - (a - b)²) / n (A. Agresti, Categorical Data Analysis, 3rd ed.,
// 11.1.1: the comparison of dependent proportions).
bool told_apart(double a, double b, double samples);

// How many samples more there must be for shares that differ so to be told apart with a probability
// of 80 %: n = (1.960 + 0.842)² (a + b - (a - b)²) / (a - b)², less those there are. 0 when they
// are told apart; none when the shares are equal, so that no number would do.
std::optional<std::uint64_t> samples_missing(double a, double b, double samples);

}  // namespace tacho
