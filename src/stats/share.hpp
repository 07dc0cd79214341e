// The share of a part in a sample, with its interval, and comparisons of two shares. The reasons
// are in docs/reference/profiles.md.
#pragma once

#include <cstdint>
#include <optional>

namespace tacho {

struct ShareInterval {
  double low = 0, high = 1;
};

// Returns the 95 % interval of a share: this part of `samples` belongs to it (E. B. Wilson,
// Probable inference, the law of succession, and statistical inference, J. Amer. Stat. Assoc. 22
// (1927)). Unlike share ± 1.96 standard errors it stays within 0…1. It is right for few samples,
// and for a share of 0 in many (L. D. Brown, T. T. Cai, A. DasGupta, Interval estimation for a
// binomial proportion, Statistical Science 16 (2001)). `samples` may be a fraction. 0 samples give
// 0…1; infinitely many give the share itself.
ShareInterval wilson95(double share, double samples);

// Returns the interval of a share in everything, from `seen`, its interval in what was observed.
// The rest, `unseen` (0…1) of everything, may belong to it or not, all or in part (bounds without
// an assumption: W. G. Cochran, Sampling Techniques, 3rd ed., 13.2).
ShareInterval with_unseen(const ShareInterval& seen, double unseen);

// Samples that represent different counts (weights): the sums of the weights and of their squares.
struct Weights {
  double sum = 0, squares = 0;
};

// Returns the number of samples of equal weight with the same information about the share p of
// `part` in `whole`. This is p (1 - p) over the variance of a ratio,
// ((1 - p)² Σ w² of the part + p² Σ w² of the rest) / whole² (W. G. Cochran, Sampling Techniques,
// 3rd ed., ch. 6). For equal weights it is their number. A part with few heavy samples has the
// information of few samples, even if the rest has many light ones. If the part is nothing or all,
// it is (Σ w)² / Σ w² (L. Kish, Survey Sampling, 1965, 11.7).
double effective_samples(Weights part, Weights whole);

// The same for the difference between the shares of two parts, whose weights together are `both`.
// If the difference is 0, its variance is Σ w² of both / whole². Infinite if both were counted:
// then they have weights, but no squares.
double effective_samples_of_difference(Weights both, Weights whole);

// Returns the number of independent samples with the information of systematic ones, which are
// taken at equal distances. In `changes` of all pairs of successive samples, one is in the part and
// the other is not. `weight2` is the mean square of their weights. The variance of a share p is
// half of the sum of the squared differences (W. G. Cochran, Sampling Techniques, 3rd ed., ch. 8;
// K. M. Wolter, Introduction to Variance Estimation, ch. 8, estimator v2):
// changes · weight2 / (2 · sum²). The result is a quarter of p (1 - p) over this: the interval is
// twice as wide as the formula's, because in step with a program's rhythm samples look like
// phases. It is right only if the distances are drawn at random from time to time. 0 if p is 0 or
// 1.
double systematic_samples(double share, double sum, double changes, double weight2);

// The same for the difference between the shares of two parts, which are `both` together. `changes`
// is the sum of squares over all pairs of successive samples: 4 from one part to the other, 1 from
// one of them to anything else.
double systematic_samples_of_difference(double both, double sum, double changes, double weight2);

// Returns true if the shares of two parts of one sample differ, at 95 % confidence. If the true
// shares are equal, each of the (a + b) n samples of both parts falls into either with probability
// 1/2. So the p-value is twice a tail of that binomial distribution (the exact test of Q. McNemar,
// Note on the sampling error of the difference between correlated proportions, Psychometrika 12
// (1947)). It is exact for any number of samples. The normal approximation |a - b| √n > 1.960
// √(a + b) claims too much: 12.5 % of pairs that are equal with 4 samples, 7.6 % with 26. The
// number of samples may be a fraction: the tail is an incomplete beta function.
bool shares_differ(double a, double b, double samples);

// Returns how many more samples are needed for shares_differ() to be true with a probability of 80
// %, if these are the true shares. The total is n = (1.960 √(a + b) + 0.842 √(a + b - (a - b)²))² /
// (a - b)² (R. J. Connor, Sample size for testing differences in proportions for the paired-sample
// design, Biometrics 43 (1987)). 0 if the shares differ already; none if the shares are equal,
// because no number is enough.
std::optional<std::uint64_t> samples_still_needed(double a, double b, double samples);

}  // namespace tacho
