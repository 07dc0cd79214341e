// The ratio estimator in stretches: scales the counts of a set's turns to the whole run, with an
// interval. The reasons, and the simulations behind each choice, are in
// docs/explanation/statistics.md.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stats/measurement.hpp"

namespace tacho {

// Fewer turns than this give no interval: a variance of so few differences is not reliable.
inline constexpr std::size_t kFewestTurns = 10;

// Turns of a set in a stretch of the run; the last stretch has up to twice as many. Within a
// stretch the rate is that of its turns.
inline constexpr std::size_t kStretchTurns = 4;

// The usable turns of one set, in time order. Left out are periods in which the kernel gave the set
// no counter (running_ns is 0, enabled_ns is not), and periods in which the workload slept (no
// reference and no counts).
struct SetTurns {
  std::vector<std::size_t> periods;  // indices into Measurement::periods
  std::vector<std::size_t> rounds;   // the number of each turn's round, from 0 without gaps
  std::vector<double> covered;       // the reference of each turn, counted by the same set
  // By turn: the reference of its stretch over what the stretch's turns covered of it. A turn
  // stands for covered · expansion of the run. Stretches meet halfway between two turns, and
  // together they are all periods.
  std::vector<double> expansion;
  double covered_total = 0;
  double stands_for_total = 0;  // Σ covered · expansion
  double blind = 0;             // reference of the other sets' long turns (is_long_turn)
  bool had_turns = false;       // the set had at least one period, usable or not
  double running = 1;           // running_ns over enabled_ns of all its periods; 1 if undisturbed

  double stands_for(std::size_t turn) const { return covered[turn] * expansion[turn]; }
};

// Whether a turn lasted for more than three of the longest periods that were asked for: tacho
// itself had no CPU then, and the other sets saw nothing of that time.
bool is_long_turn(const Measurement&, const Period&);

// The turns of every set, by set. Stolen time (stolen_share) is taken out of the periods that were
// longer than asked, in proportion to what they were longer. If it is more than that, the rest is
// taken evenly out of all periods.
std::vector<SetTurns> turns_of_sets(const Measurement&);

// The part of the workload's task-clock that it did not get: a hypervisor had taken the CPU. The
// kernel leaves this time out of the CPU time that it charges (getrusage), but task-clock counts
// on. 0 if the reference is not task-clock, or if the CPU time is not known. It is also 0 above
// 0.3: then most likely the command did not wait for its children, whose time is not charged to it.
double stolen_share(const Measurement&);

// The part of the whole run's reference that is progress of the workload. While tacho turns a set,
// the reference counts on, but the workload makes progress for only an unknown part of this time.
// So half of the reference during turns counts as progress, and the other half is the uncertainty.
// Stolen time is no progress. In which periods it lay is uncertain (turns_of_sets): the uncertainty
// is half of it.
struct WholeReference {
  double value = 0;    // if no total was counted, the sum over the periods
  double doubt95 = 0;  // 95 % half-width: 1.96 / √3 of half the range (a type B uncertainty with a
                       // rectangular distribution, GUM (JCGM 100:2008) 4.3.7), both in quadrature
};
WholeReference whole_reference(const Measurement&);

// One event of a set, scaled to the whole run. Units: counts.
//   value    Ŷ = Σ y q, with the expansion q of a turn's stretch, scaled to the whole reference:
//            the sum of the stretches' own ratio estimates (post-stratification; W. G. Cochran,
//            Sampling Techniques, 3rd ed., 5A.9)
//   pulls    the local rate, times the reference that a turn stands for, less the mean. Two
//            neighbours differ by (y'/c' - y/c) · √(c c' (q² + q'²) / 2). If a rate's variance is
//            v / c, the expected square of this is v (c + c') (q² + q'²) / 2: what the two turns
//            add to the variance of the estimate
struct RatioEstimate {
  double counted = 0;                    // Σ y
  double value = 0;                      // Ŷ
  double share = 0;                      // Σ c / C, in 0…1
  std::vector<double> pulls;             // of the turns, in counts
  std::optional<std::size_t> only_turn;  // the turn that has the whole count, if one has
  double doubt95 = 0;          // the part of the 95 % half-width that comes from WholeReference
  double blind95 = 0;          // the part that comes from SetTurns::blind: there the rate may have
                               // been anything from 0 to twice the mean (rectangular, as above)
  double none_seen_bound = 0;  // none_seen_bound() if counted is 0; else 0
};

// Needs turns.covered_total > 0.
RatioEstimate estimate_ratio(const Measurement&, const SetTurns& turns, std::size_t slot,
                             const WholeReference& whole);

// Returns how many events can have happened, at 95 % confidence, if none was seen in `share`
// (0 < share <= 1) of the run. This is the greatest real K with (1 - share)^K >= 0.05 (the rule of
// three: about 3 / share for a small share). It is right for events that come singly and
// independently; there is no bound for bursts.
double none_seen_bound(double share);

// Returns the 95 % half-width of an estimate whose error is the sum of `pulls`, one a round, in
// time order. `weights` is the reference that each round stands for. Both have the same length of
// at least 2.
//   variance    n/(n-1) · (Σ (pull_{h-1} - 2 pull_h + pull_{h+1})² / 6 + (d² + e²) / 2), with d and
//   e
//               the first and the last difference of neighbours. Second differences leave out
//               what changes steadily (K. M. Wolter, Introduction to Variance Estimation, 2nd ed.,
//               8.2, v4). The two ends stand for the two that a second difference does not reach.
//   freedom     18 m² / (35 m + 8) - 1 for m equal rounds: (tr A)² / tr A² of the quadratic form A
//               above (F. E. Satterthwaite, Biometrics Bulletin 2 (1946)), and one degree less,
//               because pulls have heavier tails than a normal distribution. Rounds of unequal
//               weight count as m = (Σ w)² / Σ w² (L. Kish)
//   skewness    half-width × (1 + g² (t⁴ + 2t² - 3) / 18), g the skewness of the sum. Without this
//               term of the Edgeworth expansion of Student's statistic, symmetric intervals of
//               skewed data cover too rarely (P. Hall, The Bootstrap and Edgeworth Expansion, 1992,
//               ch. 2)
double half_width95(std::span<const double> pulls, std::span<const double> weights);

// Returns the 95 % half-width of one event's estimate in counts: its pulls, its doubt and its blind
// time, added in quadrature; none_seen_bound if none was seen. Needs two turns. Reports show it
// from kFewestTurns on.
double half_width95(const RatioEstimate&, const SetTurns&);

// An argument of a function of several estimates. `value` is in the function's unit; one count is
// `scale` of it. Without an estimate and turns the value is exact.
struct Argument {
  double value = 0;
  double scale = 1;
  const RatioEstimate* estimate = nullptr;
  const SetTurns* turns = nullptr;
};

// Returns the 95 % half-width of `function` of the arguments. A round's pull is the change of the
// result if the round is left out (J. W. Tukey's jackknife). For small changes this is the delta
// method's derivative times the estimates' pulls; for large changes that would be too small.
// The errors of one set cancel or add as they occurred together. So do the errors of sets in the
// same round, which depend on each other if the workload is periodic in the round. Two parts are
// added in quadrature: the bound and the blind time of each event, and the doubt of the whole
// reference, which moves all estimates alike. None if the function is not finite without one of the
// rounds: the result then depends on that round alone.
std::optional<double> half_width95(const std::function<double(std::span<const double>)>& function,
                                   std::span<const Argument> arguments);

}  // namespace tacho
