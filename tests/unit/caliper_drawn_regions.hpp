// Regions whose events take turns, with known counts: the truth for tests of the intervals of their
// totals and means. The turns are those of the library: a new one when a region begins and the last
// one is over, in the order and with the lengths of Schedule.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "caliper/counting_plan.hpp"
#include "caliper/totals.hpp"
#include "caliper_own_record.hpp"
#include "interval_score.hpp"
#include "measure/schedule.hpp"

namespace tacho::drawn {

enum class Calls {
  steady,       // durations and rates vary by 5 %
  skewed,       // durations are lognormal, and so are the counts
  two_kinds,    // every other call has ten times the rate
  slow_phase,   // in one tenth of the run, calls take 5 times as long and have 10 times the rate
  at_start,     // the first 2 % of the calls have 20 times the rate
  rare_bursts,  // one call in 100 has 100 times the rate
};
inline constexpr std::array<std::pair<Calls, std::string_view>, 6> kCalls{
    {{Calls::steady, "steady"},
     {Calls::skewed, "skewed"},
     {Calls::two_kinds, "two kinds in alternation"},
     {Calls::slow_phase, "a slow phase"},
     {Calls::at_start, "20 times the rate at the start"},
     {Calls::rare_bursts, "1 % have 100 times the rate"}}};

struct Call {
  double ns = 0;
  double events = 0;
};

inline Call draw_call(Calls kind, double part_of_run, std::size_t index, double usual_ns,
                      RandomDraws& random) {
  constexpr double kPerNs = 1e-3;
  double ns = usual_ns * (1 + 0.05 * random.normal());
  double rate = kPerNs * (1 + 0.05 * random.normal());
  switch (kind) {
    case Calls::steady:
      break;
    case Calls::skewed:
      ns *= std::exp(random.normal() - 0.5);
      rate *= std::exp(random.normal() - 0.5);
      break;
    case Calls::two_kinds:
      rate *= index % 2 == 0 ? 1 : 10;
      break;
    case Calls::slow_phase:
      if (part_of_run > 0.6 && part_of_run < 0.7) {
        ns *= 5;
        rate *= 10;
      }
      break;
    case Calls::at_start:
      if (part_of_run < 0.02) rate *= 20;
      break;
    case Calls::rare_bursts:
      if (random.happens(0.01)) rate *= 100;
      break;
  }
  return {std::max(1.0, ns), static_cast<double>(random.poisson(std::max(0.0, rate * ns)))};
}

struct RegionRun {
  tacho::RegionFigures figures;
  double events = 0;  // of all calls
  std::vector<double> ns;
};

// `calls` calls of about `usual_ns`, and `sets` sets of one event each. The first event is scored.
inline RegionRun draw_region(Calls kind, std::size_t calls, double usual_ns, std::size_t sets,
                             RandomDraws& random) {
  using namespace std::chrono_literals;
  constexpr double kTurnNs = 3000;
  std::vector<std::size_t> order(sets);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Schedule schedule(order, {.longest = 10ms}, random.below(1'000'000'000));
  std::vector<caliper::TurnSeries> series(sets);
  OwnRecord record;
  RegionRun run;
  caliper::Totals totals;
  Schedule::Turn turn = schedule.next();
  double now = 0;
  double due = static_cast<double>(turn.length.count());
  for (std::size_t i = 0; i < calls; ++i) {
    if (now >= due) {
      turn = schedule.next();
      schedule.turn_took(std::chrono::nanoseconds(static_cast<std::int64_t>(kTurnNs)));
      now += kTurnNs;
      due = now + static_cast<double>(turn.length.count());
    }
    const Call call =
        draw_call(kind, static_cast<double>(i) / static_cast<double>(calls), i, usual_ns, random);
    const auto ns = static_cast<std::uint64_t>(call.ns);
    now += call.ns;
    run.ns.push_back(static_cast<double>(ns));
    run.events += call.events;
    totals.reference += ns;
    const auto events = static_cast<std::uint64_t>(call.events);
    while (!series[turn.set].has_place(turn.round)) series[turn.set].fold();
    series[turn.set].add(turn.round, ns, events);
    if (turn.set == 0) record.add_event(events);
    record.add_ticks(ns);
  }
  caliper::CountingPlan plan;
  totals.begun = calls;
  totals.threads = 1;
  totals.ticks = record.sum_of(0);
  totals.events.resize(sets);
  totals.events[0].sum = record.sum_of(1);
  for (std::size_t set = 0; set < sets; ++set) {
    series[set].add_to(totals.events[set].turns);
    plan.events.emplace_back();
    plan.sets.push_back({set});
    plan.set_of.emplace_back(set);
  }
  plan.requested = sets;
  plan.refused.resize(sets);
  run.figures = totals.figures("drawn", &plan);
  return run;
}

struct RegionScores {
  IntervalScore total;
  IntervalScore mean;
  IntervalScore median;  // of the calls' duration: counted, and exact to 1/128
};

inline RegionScores score_regions(Calls kind, std::size_t calls, double usual_ns, std::size_t sets,
                                  std::size_t draws, std::uint64_t seed) {
  RandomDraws random(seed);
  RegionScores scores;
  for (std::size_t i = 0; i < draws; ++i) {
    RegionRun run = draw_region(kind, calls, usual_ns, sets, random);
    const Quantity& event = run.figures.quantities[1];
    const double half =
        event.has_interval ? event.half_width95 : std::numeric_limits<double>::infinity();
    const auto n = static_cast<double>(calls);
    if (event.status == CountStatus::estimated) {
      scores.total.add({event.total, event.total - half, event.total + half}, run.events);
      scores.mean.add({event.mean, event.mean - half / n, event.mean + half / n}, run.events / n);
    }
    std::ranges::sort(run.ns);
    const double median = run.figures.quantities[0].median;
    scores.median.add({median, median * (1 - 1.0 / 128), median * (1 + 1.0 / 128)},
                      run.ns[(run.ns.size() - 1) / 2]);
  }
  return scores;
}

}  // namespace tacho::drawn
