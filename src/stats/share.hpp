// The share of a part in a sample, and how sure it is. docs/reference/profiles.md gives the
// reasons.
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

// Samples that stand for different counts: these, the weights, added up, and their squares.
struct Weights {
  double sum = 0, squares = 0;
};

// How many samples of equal weight would tell as much about the share that `part` has of `whole`:
// p (1 - p) over the variance of a ratio, ((1 - p)² Σ w² of the part + p² Σ w² of the rest) /
// whole² (W. G. Cochran, Sampling Techniques, 3rd ed., ch. 6). Of equal weights that is their
// number. A part of few heavy samples is worth few of them, however many light ones lie beside it.
// Where the part is nothing or all, (Σ w)² / Σ w² (L. Kish, Survey Sampling, 1965, 11.7).
double effective_samples(Weights part, Weights whole);

// The same about the difference between the shares of two parts, which have these weights together:
// if it were 0, its variance would be Σ w² of both / whole².
double effective_samples_of_difference(Weights both, Weights whole);

// Two parts of one sample: whether their shares differ, at 95 % confidence: |a - b| √n > 1.960
// √(a + b). If they did not, (a - b) of a multinomial sample would have the variance (a + b) / n
// (Q. McNemar, Note on the sampling error of the difference between correlated proportions,
// Psychometrika 12 (1947)). Like Wilson's interval it is a score test: few samples, all of one
// part, tell nothing yet.
bool shares_differ(double a, double b, double samples);

// How many samples more there must be for shares that differ so to be told apart with a probability
// of 80 %: n = (1.960 √(a + b) + 0.842 √(a + b - (a - b)²))² / (a - b)², less those there are (R.
// J. Connor, Sample size for testing differences in proportions for the paired-sample design,
// Biometrics 43 (1987)). 0 when they are told apart; none when the shares are equal, so that no
// number would do.
std::optional<std::uint64_t> samples_still_needed(double a, double b, double samples);

}  // namespace tacho
