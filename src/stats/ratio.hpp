// The ratio estimator: from what was counted while a set had its turns to the whole run, and how
// sure that is. docs/explanation/statistics.md gives the reasons and the simulations behind each
// choice.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stats/measurement.hpp"

namespace tacho {

// Fewer turns than this give no interval: a variance from so few differences says nothing.
inline constexpr std::size_t kFewestTurns = 10;

// The turns of one set that tell something, in time order. Left out are periods in which the
// kernel gave the set no counter (running_ns 0 of enabled_ns > 0), and periods in which nothing
// happened (no reference, no counts: the workload slept).
struct SetTurns {
  std::vector<std::size_t> periods;  // indices into Measurement::periods
  std::vector<std::size_t> rounds;   // the number of the turn's round, counted from 0 without gaps
  std::vector<double> covered;  // the reference: a counter of the same set, so it ran just as long
  double covered_total = 0;
  bool had_turns = false;  // it had a period at all, useful or not
  double running = 1;      // running_ns over enabled_ns of all its periods; 1 undisturbed
};

// The turns of every set, by set.
std::vector<SetTurns> turns_of_sets(const Measurement&);

// The reference of the whole run, as far as it stands for the workload's own progress. While sets
// are turned, the reference goes on, but the workload is held up for a part of that time that
// nobody knows. Half of what turning covered is therefore taken for progress, give or take the
// other half.
struct WholeReference {
  double value = 0;    // what the periods add up to where no total was counted
  double doubt95 = 0;  // 95 % half-width: 1.96 / √3 of half the range (a type B uncertainty with a
                       // rectangular distribution, GUM (JCGM 100:2008) 4.3.7)
};
WholeReference whole_reference(const Measurement&);

// One event of a set, scaled to the whole run. Units: counts.
struct RatioEstimate {
  double counted = 0;          // Σ y
  double value = 0;            // Ŷ = (Σ y / Σ c) · C
  double share = 0;            // Σ c / C, in 0…1
  std::vector<double> pulls;   // of each turn: (y - R c) C / Σ c, what it adds to the error of Ŷ
  double doubt95 = 0;          // 95 % half-width of the part of its error that C's doubt makes
  double none_seen_bound = 0;  // when counted is 0: see none_seen_bound(); else 0
};

// Needs turns.covered_total > 0.
RatioEstimate estimate_ratio(const Measurement&, const SetTurns& turns, std::size_t slot,
                             const WholeReference& whole);

// How many events can have happened, at 95 % confidence, when none was seen in `share` (0 < share
// <= 1) of the run: the most K with (1 - share)^K >= 0.05, as a real number (the rule of three: 3 /
// share when share is small). Holds for events that come singly and independently; no bound holds
// for bursts.
double none_seen_bound(double share);

// The 95 % half-width of an estimate whose error is the sum of `pulls`, one a round, in time order.
// `weights` is the reference that each round covered. Both have one length, of at least 2.
//   variance    n/(n-1) · Σ (pull_h - pull_{h+1})² / 2, successive differences (J. von Neumann,
//               Ann. Math. Stat. 12 (1941); collapsed strata: W. G. Cochran, Sampling Techniques,
//               5A.12)
//   freedom     2 (m-1)² / (3m-4), what that variance has for m equal rounds (von Neumann's
//               efficiency of 2/3), with m = (Σ w)² / Σ w² (L. Kish) rounds of unequal weight
//   skewness    half-width × (1 + g² (t⁴ + 2t² - 3) / 18), g the skewness of the sum: the term of
//               the Edgeworth expansion of Student's statistic that makes symmetric intervals of
//               skewed data cover too rarely (P. Hall, The Bootstrap and Edgeworth Expansion, 1992,
//               ch. 2)
double half_width95(std::span<const double> pulls, std::span<const double> weights);

// The 95 % half-width of one event's estimate, in counts: of its pulls, and in quadrature of its
// doubt; none_seen_bound when none was seen. Needs two turns; whoever shows it needs kFewestTurns.
double half_width95(const RatioEstimate&, const SetTurns&);

// An argument of a function of several estimates: `value` in the function's unit, `scale` of it a
// count. Without an estimate and turns it is known exactly.
struct Argument {
  double value = 0;
  double scale = 1;
  const RatioEstimate* estimate = nullptr;
  const SetTurns* turns = nullptr;
};

// The 95 % half-width of `function` of the arguments. A round's pull on it is what leaving the
// round out changes (J. W. Tukey's jackknife), which for small changes is the delta method's
// derivative times the estimates' pulls, and for large ones does not fall short as that does.
// Errors of one set so cancel or add as they went together, and so do those of sets that shared a
// round: sets exclude each other, so their errors depend on each other when the workload goes with
// the round. What may have been missed of events never seen is added in quadrature, and so is the
// doubt of the whole reference, which moves all estimates alike. None when the
// function is not finite without one of the rounds: then it hangs on that round.
std::optional<double> half_width95(const std::function<double(std::span<const double>)>& function,
                                   std::span<const Argument> arguments);

}  // namespace tacho
