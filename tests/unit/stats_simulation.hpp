// Simulated runs with a known truth, to test the intervals. The tests use them, and so does
// bench/simulate_intervals.cpp, which prints the table in docs/explanation/statistics.md.
//
// Four events on S sets that take turns: x and y are in set 0, z is in set 1, and "cycles" (the
// reference) is counted all the time. Each round gives every set one period, in random order.
// Between periods there are gaps in which only the reference counts. The last round may be
// incomplete.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/summarise.hpp"
#include "stats/interval_ends.hpp"
#include "stats/measurement.hpp"
#include "stats/ratio.hpp"
#include "stats/student.hpp"

namespace tacho::simulation {

enum class Work {
  steady,  // the rate is constant, apart from noise of 5 % a period, which all kinds have
  phases,  // the rate is 10 times as high in the second half
  drift,   // the rate grows from zero
  idle,    // periodic in the round: one period of each round has a tenth of the rate
  busy,    // periodic in the round: one period of each round has 10 times the rate
  wave,    // a sine of time, ± 50 %, 2.7 periods a wave
  bursts,  // one period in ten has 100 times the rate
  rare,    // single events, one a period on average (of z: one in two)
};

struct Case {
  Work work = Work::steady;
  std::size_t sets = 4;
  std::size_t rounds = 50;
  bool growing = false;  // periods: 1 ms in 12 rounds, then a tenth longer in each, to 10 ms
};

struct Truth {
  double x = 0, y = 0, z = 0, cycles = 0;
};

// Random numbers that are the same for every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(n));
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  std::size_t poisson(double mean) {  // by multiplication: for small means
    const double limit = std::exp(-mean);
    std::size_t n = 0;
    for (double product = uniform(); product > limit; product *= uniform()) ++n;
    return n;
  }

 private:
  std::mt19937_64 engine_;
};

inline double period_ms(const Case& c, std::size_t round) {
  if (!c.growing) return 10;
  return std::min(10.0, 0.2 * std::pow(1.1, static_cast<double>(round)));
}

// Returns the events of the workload per reference, without noise.
inline double rate_at(const Case& c, double part_of_run, double periods_so_far, bool marked,
                      Random& random) {
  switch (c.work) {
    case Work::phases:
      return part_of_run < 0.5 ? 0.1 : 1.0;
    case Work::drift:
      return part_of_run;
    case Work::idle:
      return marked ? 0.1 : 1.0;
    case Work::busy:
      return marked ? 1.0 : 0.1;
    case Work::wave:
      return 0.5 + 0.25 * std::sin(2 * std::numbers::pi * periods_so_far / 2.7);
    case Work::bursts:
      return random.uniform() < 0.1 ? 1.0 : 0.01;
    case Work::steady:
    case Work::rare:
      break;
  }
  return 0.5;
}

// Simulates one run and its measurement.
inline Measurement run(const Case& c, Random& random, Truth& truth) {
  constexpr double kReferencePerMs = 1e6;
  constexpr double kGapMs = 0.02;
  Measurement m;
  m.reference = "cycles";
  m.sets = c.sets;
  m.events.resize(4);
  const std::array<std::string_view, 4> names{"x", "y", "z", "cycles"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    m.events[i].name = names[i];
    m.events[i].duty = i < 3 ? Duty::turned : Duty::always;
    m.events[i].set = i == 2 ? 1 : 0;
    m.events[i].slot = i == 1 ? 1 : 0;
  }
  double length = 0;
  for (std::size_t r = 0; r < c.rounds; ++r)
    length += period_ms(c, r) * static_cast<double>(c.sets);
  const std::size_t marked = random.below(c.sets);
  const bool ends_early = random.uniform() < 0.5;
  const double worked =
      random.uniform();  // the part of the turns' time in which the workload makes progress
  truth = {};
  double at_ms = 0;
  double periods = 0;
  std::vector<std::size_t> order(c.sets);
  for (std::size_t r = 0; r < c.rounds; ++r) {
    for (std::size_t i = 0; i < c.sets; ++i) order[i] = i;
    for (std::size_t i = c.sets; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    const bool last = r + 1 == c.rounds;
    const std::size_t turns = last && ends_early ? 1 + random.below(c.sets) : c.sets;
    for (std::size_t place = 0; place < turns; ++place) {
      const double ms = period_ms(c, r);
      const double reference = ms * kReferencePerMs * (1 + 0.05 * random.normal());
      const double rate = rate_at(c, at_ms / length, periods, place == marked, random);
      double x = rate * reference * (1 + 0.05 * random.normal());
      double y = 0.3 * x * (1 + 0.05 * random.normal());
      double z = 0.2 * rate * reference * (1 + 0.05 * random.normal());
      if (c.work == Work::rare) {
        x = static_cast<double>(random.poisson(reference / kReferencePerMs / 10));
        y = static_cast<double>(random.poisson(reference / kReferencePerMs / 10));
        z = static_cast<double>(random.poisson(reference / kReferencePerMs / 20));
      }
      const double gap = kGapMs * kReferencePerMs;
      const double all = c.work == Work::rare ? 1 : 1 + worked * gap / reference;
      truth.x += x * all;
      truth.y += y * all;
      truth.z += z * all;
      truth.cycles += reference + gap;
      Period period;
      period.start_s = at_ms / 1e3;
      period.duration_s = ms / 1e3;
      period.round = static_cast<std::uint32_t>(r);
      period.set = static_cast<std::uint32_t>(order[place]);
      period.reference = static_cast<std::uint64_t>(std::llround(reference));
      period.enabled_ns = period.running_ns = static_cast<std::uint64_t>(ms * 1e6);
      if (period.set == 0)
        period.counts = {static_cast<std::uint64_t>(std::llround(x)),
                         static_cast<std::uint64_t>(std::llround(y))};
      else
        period.counts = {static_cast<std::uint64_t>(std::llround(period.set == 1 ? z : 0))};
      m.periods.push_back(std::move(period));
      at_ms += ms + kGapMs;
      ++periods;
    }
  }
  m.reference_total = static_cast<std::uint64_t>(std::llround(truth.cycles));
  m.turning_s = kGapMs / 1e3 * static_cast<double>(m.periods.size());
  m.workload.elapsed_s = at_ms / 1e3;
  m.always = {m.reference_total};
  m.always_running = {1.0};
  return m;
}

// Results over the runs that gave an interval. If the last round ends early, there may be too few
// periods.
struct Score {
  std::size_t intervals = 0;
  std::size_t hits = 0;     // estimate ± half-width holds the truth
  std::size_t between = 0;  // the ends of the interval do
  double widths = 0;
  double covered() const { return static_cast<double>(hits) / static_cast<double>(intervals); }
  double covered_by_ends() const {
    return static_cast<double>(between) / static_cast<double>(intervals);
  }
  // Mean half-width over the truth.
  double width() const { return widths / static_cast<double>(intervals); }
};

struct Outcome {
  Score x;                        // an event
  Score plain_x;                  // the same with n - 1 degrees of freedom and no skewness term
  Score y_per_x;                  // a metric of one set
  Score z_per_x;                  // a metric across two sets
  Score per_x;                    // cycles / x: the reference as numerator
  double phases = 0, bursts = 0;  // share of the runs with this warning
};

inline const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all{{"y/x", *Formula::parse("y / x"), "", ""},
                                       {"z/x", *Formula::parse("z / x * 1000"), "PTI", ""},
                                       {"cycles/x", *Formula::parse("cycles / x"), "", ""}};
  return all;
}

inline void score(Score& into, const std::optional<double>& value,
                  const std::optional<double>& half, double truth) {
  if (!value || !half) return;
  ++into.intervals;
  if (std::fabs(*value - truth) <= *half) ++into.hits;
  const IntervalEnds ends = positive_ends95(*value, *half);
  if (ends.low <= truth && truth <= ends.high) ++into.between;
  into.widths += *half / truth;
}

// The half-width of x by the plain formula: N²/n · Σ d² / (2 (n - 1)), t with n - 1.
inline double plain_half_width(const Measurement& m) {
  const SetTurns turns = turns_of_sets(m)[0];
  const std::vector<double> pulls = estimate_ratio(m, turns, 0, whole_reference(m)).pulls;
  const auto n = static_cast<double>(pulls.size());
  double differences = 0;
  for (std::size_t i = 1; i < pulls.size(); ++i)
    differences += (pulls[i] - pulls[i - 1]) * (pulls[i] - pulls[i - 1]);
  return student_t95(n - 1) * std::sqrt(n / (n - 1) * differences / 2);
}

inline Outcome simulate(const Case& c, std::size_t times, std::uint64_t seed = 1) {
  Random random(seed);
  Outcome outcome;
  for (std::size_t i = 0; i < times; ++i) {
    Truth truth;
    const Measurement measurement = run(c, random, truth);
    const Summary s = summarise(measurement, metrics());
    score(outcome.x, s.events[0].estimate, s.events[0].ci95, truth.x);
    if (s.events[0].ci95)
      score(outcome.plain_x, s.events[0].estimate, plain_half_width(measurement), truth.x);
    score(outcome.y_per_x, s.metrics[0].value, s.metrics[0].ci95, truth.y / truth.x);
    score(outcome.z_per_x, s.metrics[1].value, s.metrics[1].ci95, truth.z / truth.x * 1000);
    score(outcome.per_x, s.metrics[2].value, s.metrics[2].ci95, truth.cycles / truth.x);
    const auto warns = [&](std::string_view words) {
      return std::ranges::any_of(s.warnings, [&](const std::string& warning) {
        return warning.find(words) != std::string::npos;
      });
    };
    outcome.phases += warns("changed during the run") ? 1.0 / static_cast<double>(times) : 0;
    outcome.bursts += warns("hold most") ? 1.0 / static_cast<double>(times) : 0;
  }
  return outcome;
}

}  // namespace tacho::simulation
