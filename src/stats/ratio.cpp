#include "stats/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "stats/normal.hpp"
#include "stats/student.hpp"

namespace tacho {
namespace {

// Returns the round numbers that occur, sorted. A round's rank in this list is its number without
// gaps.
std::vector<std::uint32_t> known_rounds(const Measurement& measurement) {
  std::vector<std::uint32_t> rounds;
  rounds.reserve(measurement.periods.size());
  for (const Period& period : measurement.periods) rounds.push_back(period.round);
  std::sort(rounds.begin(), rounds.end());
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  return rounds;
}

// The set was on, but the kernel gave it no counter. Both times are 0 for a PMU that does not
// measure them.
bool never_ran(const Period& period) {
  return period.enabled_ns > 0 && period.running_ns == 0;
}

// Returns the reference of each period, less the time that was stolen in it. Most likely that is
// where a period was longer than asked. The rest lies evenly in all periods.
std::vector<double> progress_of_periods(const Measurement& measurement) {
  const double longest =
      measurement.period_ms * 1e6 * static_cast<double>(measurement.merge_factor);
  std::vector<double> progress, excess;
  for (const Period& period : measurement.periods) {
    progress.push_back(static_cast<double>(period.reference));
    excess.push_back(longest > 0 ? std::max(0.0, progress.back() - longest) : 0);
  }
  const double all = std::accumulate(progress.begin(), progress.end(), 0.0);
  const double stolen = stolen_share(measurement) * all;
  if (stolen <= 0) return progress;
  const double too_long = std::accumulate(excess.begin(), excess.end(), 0.0);
  const double located = std::min(stolen, too_long);
  const double left = (all - stolen) / (all - located);
  for (std::size_t i = 0; i < progress.size(); ++i) {
    if (located > 0) progress[i] -= excess[i] * located / too_long;
    progress[i] *= left;
  }
  return progress;
}

bool slept(const Period& period) {
  return period.reference == 0 && std::all_of(period.counts.begin(), period.counts.end(),
                                              [](std::uint64_t count) { return count == 0; });
}

// For each round with a turn of one of the arguments' sets: the change of each argument if the
// round is left out, and the reference of the round.
struct Rounds {
  std::vector<double> changes;  // by round, then by argument
  std::vector<double> weights;
};

// Returns a sum without one of its rounds: exactly 0 if that round is the whole sum.
double left(double value, double change) {
  constexpr double kRounding = 1e-9;  // relative: a smaller rest is a rounding error
  return std::fabs(value + change) < kRounding * std::fabs(value) ? 0 : value + change;
}

Rounds without_each_round(std::span<const Argument> arguments) {
  std::size_t last = 0;
  for (const Argument& argument : arguments) {
    if (argument.turns == nullptr) continue;
    for (const std::size_t round : argument.turns->rounds) last = std::max(last, round + 1);
  }
  const std::size_t width = arguments.size();
  std::vector<double> changes(last * width), weights(last);
  std::vector<char> present(last);
  for (std::size_t k = 0; k < width; ++k) {
    if (arguments[k].turns == nullptr) continue;
    const SetTurns& turns = *arguments[k].turns;
    for (std::size_t turn = 0; turn < turns.rounds.size(); ++turn) {
      const std::size_t round = turns.rounds[turn];
      present[round] = 1;
      weights[round] += turns.stands_for(turn);
      const RatioEstimate& estimate = *arguments[k].estimate;
      const double change =
          estimate.only_turn == turn
              ? estimate.value
              : estimate.pulls[turn] / (1 - turns.stands_for(turn) / turns.stands_for_total);
      changes[round * width + k] -= arguments[k].scale * change;
    }
  }
  Rounds rounds;
  for (std::size_t round = 0; round < last; ++round) {
    if (present[round] == 0) continue;
    rounds.weights.push_back(weights[round]);
    rounds.changes.insert(rounds.changes.end(),
                          changes.begin() + static_cast<std::ptrdiff_t>(round * width),
                          changes.begin() + static_cast<std::ptrdiff_t>((round + 1) * width));
  }
  return rounds;
}

// Fills in the expansion of each turn of a set. `ends` has the reference of all periods up to the
// end of each period.
void divide_into_stretches(SetTurns& turns, std::span<const double> ends, std::size_t sets) {
  const std::size_t n = turns.periods.size();
  turns.expansion.assign(n, 0);
  const auto middle = [&](std::size_t turn) {  // between the turn and the next one
    return (ends[turns.periods[turn]] + ends[turns.periods[turn + 1] - 1]) / 2;
  };
  // A stretch of which the set covered too little, because the workload slept, would weigh one
  // short turn too much: it goes on.
  const double least = 0.5 / static_cast<double>(sets);
  std::size_t first = 0;
  double begin = 0;
  double covered = 0;
  const auto close = [&](std::size_t last, double end) {
    for (std::size_t turn = first; turn <= last; ++turn) {
      turns.expansion[turn] = covered > 0 ? (end - begin) / covered : 0;
      turns.stands_for_total += turns.stands_for(turn);
    }
  };
  for (std::size_t turn = 0; turn < n; ++turn) {
    covered += turns.covered[turn];
    if (turn + 1 == n) close(turn, ends.back());
    if (turn + 1 < first + kStretchTurns || n - turn - 1 < kStretchTurns) continue;
    const double end = middle(turn);
    const bool enough = covered > 0 && covered >= least * (end - begin);
    if (!enough) continue;
    close(turn, end);
    first = turn + 1;
    begin = end;
    covered = 0;
  }
}

}  // namespace

bool is_long_turn(const Measurement& measurement, const Period& period) {
  constexpr double kLong = 3;  // periods
  const double asked_s =
      measurement.period_ms / 1e3 * static_cast<double>(measurement.merge_factor);
  return asked_s > 0 && period.duration_s > kLong * asked_s;
}

std::vector<SetTurns> turns_of_sets(const Measurement& measurement) {
  const std::vector<std::uint32_t> rounds = known_rounds(measurement);
  const std::vector<double> progress = progress_of_periods(measurement);
  std::vector<SetTurns> sets(measurement.sets);
  std::vector<double> enabled(measurement.sets), running(measurement.sets);
  for (std::size_t i = 0; i < measurement.periods.size(); ++i) {
    const Period& period = measurement.periods[i];
    if (period.set >= sets.size()) continue;
    SetTurns& turns = sets[period.set];
    turns.had_turns = true;
    if (is_long_turn(measurement, period))
      for (SetTurns& other : sets)
        if (&other != &turns) other.blind += progress[i];
    enabled[period.set] += static_cast<double>(period.enabled_ns);
    running[period.set] += static_cast<double>(std::min(period.running_ns, period.enabled_ns));
    if (never_ran(period) || slept(period)) continue;
    const auto round = std::lower_bound(rounds.begin(), rounds.end(), period.round);
    turns.periods.push_back(i);
    turns.rounds.push_back(static_cast<std::size_t>(round - rounds.begin()));
    turns.covered.push_back(progress[i]);
    turns.covered_total += turns.covered.back();
  }
  std::vector<double> ends;
  double end = 0;
  for (const double of_period : progress) ends.push_back(end += of_period);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    if (enabled[set] > 0) sets[set].running = running[set] / enabled[set];
    divide_into_stretches(sets[set], ends, sets.size());
  }
  return sets;
}

double stolen_share(const Measurement& measurement) {
  constexpr double kMostStolen = 0.3;
  const Workload& workload = measurement.workload;
  if (measurement.reference != "task-clock" || !workload.has_usage ||
      measurement.reference_total == 0)
    return 0;
  const double clock_s = static_cast<double>(measurement.reference_total) / 1e9;
  const double stolen = 1 - (workload.user_s + workload.system_s) / clock_s;
  return stolen > 0 && stolen <= kMostStolen ? stolen : 0;
}

WholeReference whole_reference(const Measurement& measurement) {
  double in_periods = 0;
  for (const Period& period : measurement.periods)
    in_periods += static_cast<double>(period.reference);
  const double all = measurement.reference_total > 0
                         ? static_cast<double>(measurement.reference_total)
                         : in_periods;
  const double elapsed = measurement.workload.counting_s();
  const double turning = elapsed > 0 ? all * std::min(1.0, measurement.turning_s / elapsed) : 0;
  // Reference outside of the periods for another reason (a set that could not be opened) is
  // progress like any other. The first period of an interval (-I) may have begun before the
  // interval, so the periods may have more than the interval. Then the clock alone gives the part
  // of the turns.
  const double outside = all - in_periods;
  const double half = (outside < 0 ? turning : std::min(turning, outside)) / 2;
  const double stolen = stolen_share(measurement) * all;
  return {.value = all - half - stolen,
          .doubt95 = kTwoSided95 / std::numbers::sqrt3 * std::hypot(half, stolen / 2)};
}

RatioEstimate estimate_ratio(const Measurement& measurement, const SetTurns& turns,
                             std::size_t slot, const WholeReference& whole) {
  RatioEstimate estimate;
  const std::size_t n = turns.periods.size();
  const double scale = whole.value / turns.stands_for_total;
  std::vector<double> rates(n);  // y / c
  std::vector<double> grows(n);  // q
  for (std::size_t turn = 0; turn < n; ++turn) {
    const Period& period = measurement.periods[turns.periods[turn]];
    const double count = slot < period.counts.size() ? static_cast<double>(period.counts[slot]) : 0;
    const double covered = turns.covered[turn];
    estimate.counted += count;
    if (count > 0)
      estimate.only_turn = count == estimate.counted ? std::optional(turn) : std::nullopt;
    grows[turn] = scale * turns.expansion[turn];
    estimate.value += count * grows[turn];
    if (covered > 0) rates[turn] = count / covered;
  }
  estimate.doubt95 = whole.value > 0 ? estimate.value / whole.value * whole.doubt95 : 0;
  if (whole.value > 0)
    estimate.blind95 =
        kTwoSided95 / std::numbers::sqrt3 * estimate.value * turns.blind / whole.value;
  estimate.share = std::min(1.0, turns.covered_total / whole.value);
  estimate.pulls.assign(n, 0);
  for (std::size_t turn = 1; turn < n; ++turn) {
    const double c = turns.covered[turn - 1];
    const double d = turns.covered[turn];
    if (c + d <= 0) {
      estimate.pulls[turn] = estimate.pulls[turn - 1];
      continue;
    }
    const double worth = std::sqrt(c * d / 2) * std::hypot(grows[turn - 1], grows[turn]);
    estimate.pulls[turn] = estimate.pulls[turn - 1] + (rates[turn] - rates[turn - 1]) * worth;
  }
  const double mean = std::accumulate(estimate.pulls.begin(), estimate.pulls.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(1, n));
  for (double& pull : estimate.pulls) pull -= mean;
  if (estimate.counted == 0) estimate.none_seen_bound = none_seen_bound(estimate.share);
  return estimate;
}

double none_seen_bound(double share) {
  return share >= 1 ? 0 : std::log(0.05) / std::log1p(-share);
}

double half_width95(std::span<const double> pulls, std::span<const double> weights) {
  const std::size_t count = pulls.size();
  const auto n = static_cast<double>(count);
  const double first = pulls[0] - pulls[1];
  const double last = pulls[count - 1] - pulls[count - 2];
  double variance = (first * first + last * last) / 2;
  for (std::size_t h = 1; h + 1 < count; ++h) {
    const double difference = pulls[h - 1] - 2 * pulls[h] + pulls[h + 1];
    variance += difference * difference / 6;
  }
  if (variance <= 0) return 0;
  const double mean = std::accumulate(pulls.begin(), pulls.end(), 0.0) / n;
  double squares = 0;
  double cubes = 0;
  for (const double pull : pulls) {
    const double deviation = pull - mean;
    squares += deviation * deviation;
    cubes += deviation * deviation * deviation;
  }
  double weight = 0;
  double weight_squares = 0;
  for (const double w : weights) {
    weight += w;
    weight_squares += w * w;
  }
  const double m = weight_squares > 0 ? std::max(2.0, weight * weight / weight_squares) : 2.0;
  const double t = student_t95(std::max(1.0, 18 * m * m / (35 * m + 8) - 1));
  // Above t = 3 (very few turns of any weight) the expansion is not valid.
  const double s = std::min(t * t, 9.0);
  const double skewness_squared = cubes * cubes / (squares * squares * squares);
  const double widening = 1 + skewness_squared * (s * s + 2 * s - 3) / 18;
  return t * widening * std::sqrt(n / (n - 1) * variance);
}

double half_width95(const RatioEstimate& estimate, const SetTurns& turns) {
  if (estimate.counted == 0) return estimate.none_seen_bound;
  std::vector<double> weights;
  for (std::size_t turn = 0; turn < turns.covered.size(); ++turn)
    weights.push_back(turns.stands_for(turn));
  return std::hypot(half_width95(estimate.pulls, weights), estimate.doubt95, estimate.blind95);
}

std::optional<double> half_width95(const std::function<double(std::span<const double>)>& function,
                                   std::span<const Argument> arguments) {
  const Rounds rounds = without_each_round(arguments);
  std::vector<double> values;
  for (const Argument& argument : arguments) values.push_back(argument.value);
  const double whole = function(values);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (arguments[k].estimate != nullptr)
      values[k] += arguments[k].scale * arguments[k].estimate->doubt95;
  double missed = std::fabs(function(values) - whole);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    values[k] = arguments[k].value;
    if (arguments[k].estimate == nullptr) continue;
    const RatioEstimate& estimate = *arguments[k].estimate;
    for (const double unseen : {estimate.none_seen_bound, estimate.blind95}) {
      if (unseen == 0) continue;
      values[k] = arguments[k].value + arguments[k].scale * unseen;
      missed = std::hypot(missed, function(values) - whole);
      values[k] = arguments[k].value;
    }
  }
  const std::size_t n = rounds.weights.size();
  if (n < 2) return missed;
  const double scale = static_cast<double>(n - 1) / static_cast<double>(n);
  std::vector<double> pulls;
  pulls.reserve(n);
  for (std::size_t round = 0; round < n; ++round) {
    for (std::size_t k = 0; k < arguments.size(); ++k)
      values[k] = left(arguments[k].value, rounds.changes[round * arguments.size() + k]);
    pulls.push_back((whole - function(values)) * scale);
  }
  const double half = std::hypot(half_width95(pulls, rounds.weights), missed);
  return std::isfinite(half) ? std::optional(half) : std::nullopt;
}

}  // namespace tacho
