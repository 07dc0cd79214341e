#include "compare/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stats/holm.hpp"
#include "stats/looks.hpp"
#include "stats/normal.hpp"
#include "stats/paired_changes.hpp"
#include "stats/quantile.hpp"
#include "stats/repeats.hpp"
#include "stats/signed_rank.hpp"

namespace tacho {
namespace {

constexpr double kPower80 = 0.8416212335729143;  // the normal quantile of 0.8

// The values of both commands: of the blocks in which both have one, or of two sessions.
struct Values {
  std::vector<double> before, after;
};

Values values_of(const PairedRuns& runs, std::size_t member, std::size_t metric) {
  Values values;
  const auto before = runs.series(0, metric);
  const auto after = runs.series(member, metric);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool paired = before[i].has_value() && after[i].has_value();
    if (before[i] && (paired || runs.baseline)) values.before.push_back(*before[i]);
    if (after[i] && (paired || runs.baseline)) values.after.push_back(*after[i]);
  }
  return values;
}

double on_scale(double value, ChangeScale scale) {
  return scale == ChangeScale::ratio ? std::log(value) : value;
}

std::vector<double> on_scale(std::vector<double> values, ChangeScale scale) {
  for (double& value : values) value = on_scale(value, scale);
  return values;
}

std::vector<double> differences(const Values& pairs, ChangeScale scale) {
  std::vector<double> all;
  for (std::size_t i = 0; i < std::min(pairs.before.size(), pairs.after.size()); ++i)
    all.push_back(on_scale(pairs.after[i], scale) - on_scale(pairs.before[i], scale));
  return all;
}

double as_change(double value, ChangeScale scale) {
  return scale == ChangeScale::ratio ? std::expm1(value) : value;
}

ChangeVerdict verdict_of(const PairedChange& change) {
  if (change.low > 0) return ChangeVerdict::more;
  if (change.high < 0) return ChangeVerdict::less;
  return change.low == 0 && change.high == 0 ? ChangeVerdict::equal : ChangeVerdict::undecided;
}

// The difference of the means of two sessions.
struct MeanDifference {
  double value = 0;
  double error = 0;  // standard error
};

// `step` is the value of one count, or 0: a few equal counts do not show that all are equal.
MeanDifference mean_difference(const Values& sessions, ChangeScale scale, double step) {
  const auto mean_of = [&](const std::vector<double>& values) {
    const double one = scale == ChangeScale::ratio ? step / values.front() : step;
    return over_repeats(on_scale(values, scale), one);
  };
  const Repeats before = mean_of(sessions.before);
  const Repeats after = mean_of(sessions.after);
  const double none = std::numeric_limits<double>::infinity();
  return {
      after.mean - before.mean,
      std::hypot(before.half_width.value_or(none), after.half_width.value_or(none)) / kTwoSided95};
}

// A change, and the pairs or sessions by which it is to be judged.
struct Test {
  PairedChange change;
  std::vector<double> differences;         // of pairs
  std::optional<MeanDifference> sessions;  // instead of pairs
  bool exact = false;                      // there is nothing to estimate
  bool primary = false;
  BlockMember::Role role = BlockMember::Role::compared;
};

// Whether the test takes part in a family. One without a difference can make no claim, whatever its
// level, so the others need not share the level with it (R. E. Tarone, A modified Bonferroni method
// for discrete data, Biometrics 46 (1990)).
bool may_claim(const Test& test) {
  return test.sessions || std::ranges::any_of(test.differences, [](double d) { return d != 0; });
}

// The estimate, the interval of confidence 1 - level, and the p-value, on the scale of the test.
SignedRank result_of(const Test& test, double level) {
  if (!test.sessions) return signed_rank(test.differences, level);
  const auto [value, error] = *test.sessions;
  const double half_width = normal_z(level) * error;
  return {.estimate = value,
          .low = value - half_width,
          .high = value + half_width,
          .p = error > 0    ? 2 * normal_tail(std::abs(value) / error)
               : value == 0 ? 1.0
                            : 0.0};
}

Test test_of(const PairedRuns& runs, std::size_t member, std::size_t metric) {
  Test test{.change = {.member = member, .metric = metric},
            .differences = {},
            .sessions = {},
            .exact = false,
            .primary = metric == runs.primary,
            .role = runs.members[member].role};
  PairedChange& change = test.change;
  Values values = values_of(runs, member, metric);
  if (values.before.empty() || values.after.empty()) return test;
  change.pairs = std::min(values.before.size(), values.after.size());
  change.verdict = ChangeVerdict::undecided;
  const auto positive = [](double value) { return value > 0; };
  const bool ratios =
      std::ranges::all_of(values.before, positive) && std::ranges::all_of(values.after, positive);
  change.scale = ratios ? ChangeScale::ratio : ChangeScale::difference;
  test.exact =
      counts_alike(runs.machine, values.before) && counts_alike(runs.machine, values.after);
  if (runs.baseline && !test.exact)
    test.sessions =
        mean_difference(values, change.scale, runs.metrics[metric].unit.empty() ? 1 : 0);
  else
    test.differences = differences(values, change.scale);
  change.before = median(values.before);
  change.after = median(values.after);
  change.p = result_of(test, runs.level).p;
  return test;
}

// Gives the change its estimate and its interval.
void decide(Test& test, double level) {
  PairedChange& change = test.change;
  if (change.verdict == ChangeVerdict::missing) return;
  SignedRank result = result_of(test, level);
  if (test.exact) result.low = result.high = result.estimate;
  change.level = level;
  change.estimate = as_change(result.estimate, change.scale);
  change.low = as_change(result.low, change.scale);
  change.high = as_change(result.high, change.scale);
  change.verdict = verdict_of(change);
  change.findable.reset();
  if (test.exact || change.scale == ChangeScale::difference ||
      !std::isfinite(result.high - result.low))
    return;
  const double z = normal_z(level);
  change.findable = std::expm1((z + kPower80) * (result.high - result.low) / 2 / z);
}

// Replaces the interval of a test that was judged at several looks, each at `level`, by one whose
// coverage allows for them. The z is that of the p-value. Its unit is the estimate's if it was
// significant: a rank test of few pairs has a largest z, and the width of its interval would not
// fit to that. Otherwise it is that of the interval, because estimate and z are both near 0.
void allow_for_looks(Test& test, const PairedRuns& runs) {
  PairedChange& change = test.change;
  if (test.exact || change.verdict == ChangeVerdict::missing ||
      change.verdict == ChangeVerdict::equal)
    return;
  const SignedRank rank = result_of(test, runs.level);
  std::vector<double> looks;
  for (const std::size_t look : runs.looks)
    if (look < runs.blocks && look >= fewest_pairs(1, kAlpha))
      looks.push_back(static_cast<double>(look));
  looks.push_back(static_cast<double>(runs.blocks));
  if (looks.size() < 2 || !std::isfinite(rank.high - rank.low)) return;
  const double z = std::copysign(normal_z(change.p), rank.estimate);
  const StoppedInterval found = stopped_interval(looks, runs.level, z);
  // After an end between two looks it may exclude 0 although nothing was significant.
  const bool claimed = change.verdict != ChangeVerdict::undecided;
  if (claimed != (found.low > 0 || found.high < 0)) return;
  const double error =
      claimed ? rank.estimate / z : (rank.high - rank.low) / 2 / normal_z(runs.level);
  const double unit = error * std::sqrt(looks.back());
  change.estimate = as_change(found.estimate * unit, change.scale);
  change.low = as_change(found.low * unit, change.scale);
  change.high = as_change(found.high * unit, change.scale);
}

// Decides the tests that share one level.
void decide_family(std::vector<Test>& tests, bool primary, BlockMember::Role role, double level) {
  std::vector<Test*> family;
  std::vector<double> p_values;
  for (Test& test : tests) {
    if (test.primary != primary || test.role != role || test.exact || !may_claim(test)) continue;
    family.push_back(&test);
    p_values.push_back(test.change.p);
  }
  const auto results = holm(p_values, level);
  for (std::size_t i = 0; i < family.size(); ++i) decide(*family[i], results[i].level);
}

}  // namespace

std::string_view to_string(ChangeVerdict verdict) {
  constexpr std::array<std::string_view, 5> kWords{"less", "more", "equal", "undecided", "missing"};
  return kWords[static_cast<std::size_t>(verdict)];
}

std::vector<PairedChange> judge(const PairedRuns& runs) {
  std::vector<Test> tests;
  for (std::size_t member = 1; member < runs.members.size(); ++member) {
    if (runs.members[member].role == BlockMember::Role::fixed) continue;
    for (std::size_t metric = 0; metric < runs.metrics.size(); ++metric)
      tests.push_back(test_of(runs, member, metric));
  }
  for (Test& test : tests) decide(test, runs.level);
  // The control is a comparison of its own: its claims are false ones.
  for (const BlockMember::Role role : {BlockMember::Role::compared, BlockMember::Role::control})
    for (const bool primary : {true, false}) decide_family(tests, primary, role, runs.level);
  const auto is_alone = [](const Test& test) {
    return test.primary && test.role == BlockMember::Role::compared;
  };
  if (runs.ends_when_decided && std::ranges::count_if(tests, is_alone) == 1)
    allow_for_looks(*std::ranges::find_if(tests, is_alone), runs);
  std::vector<PairedChange> changes;
  for (const Test& test : tests) changes.push_back(test.change);
  return changes;
}

double level_of(const std::vector<std::size_t>& looks) {
  std::vector<double> used;
  const std::size_t fewest = fewest_pairs(1, kAlpha);
  for (const std::size_t look : looks)
    if (look >= fewest) used.push_back(static_cast<double>(look));
  return used.empty() ? kAlpha : look_level(used, kAlpha);
}

}  // namespace tacho
