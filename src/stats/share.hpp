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

// Two parts of one sample: whether their shares differ, at 95 % confidence: |a - b| √n > 1.960
// √(a + b). If they did not, (a - b) of a multinomial sample would have the variance (a + b) / n
// (Q. McNemar, Note on the sampling error of the difference between correlated proportions,
// Psychometrika 12 (1947)). Like Wilson's interval it is a score test: few samples, all of one
// part, tell nothing yet.
bool told_apart(double a, double b, double samples);

// How many samples more there must be for shares that differ so to be told apart with a probability
// of 80 %: n = (1.960 √(a + b) + 0.842 √(a + b - (a - b)²))² / (a - b)², less those there are (R.
// J. Connor, Sample size for testing differences in proportions for the paired-sample design,
// Biometrics 43 (1987)). 0 when they are told apart; none when the shares are equal, so that no
// number would do.
std::optional<std::uint64_t> samples_missing(double a, double b, double samples);

}  // namespace tacho
