#include "estimate/event_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stats/homogeneity.hpp"

namespace tacho {
namespace {

// Probability of a false warning of phases in a run of steady events, for any number of events.
constexpr double kFalseAlarm = 0.005;
// If a set had counters for at least this part of its turns, there is no warning. Periods without
// counters are left out anyway.
constexpr double kNearlyAlwaysRunning = 0.99;

void fail(EventSummary& summary, std::string reason, std::string remedy) {
  summary.status = Status::failed;
  summary.count = summary.estimate = summary.ci95 = std::nullopt;
  summary.share = 0;
  summary.reason = std::move(reason);
  summary.remedy = std::move(remedy);
}

void not_counted(const CountedEvent& event, EventSummary& summary) {
  fail(summary, event.reason.empty() ? "it could not be counted" : event.reason, event.remedy);
  if (event.duty == Duty::unsupported) summary.status = Status::unsupported;
}

void counted_always(const Measurement& measurement, const CountedEvent& event,
                    EventSummary& summary, std::vector<Caveat>& caveats) {
  if (event.slot >= measurement.always.size())
    return fail(summary, "the measurement has no count of it", "measure again");
  const double running =
      event.slot < measurement.always_running.size() ? measurement.always_running[event.slot] : 1.0;
  if (running <= 0)
    return fail(summary, "its counter never ran",
                "stop other users of the PMU (another profiler, the NMI watchdog)");
  const double count = static_cast<double>(measurement.always[event.slot]) * event.scale;
  summary.count = count;
  summary.periods = period_count(measurement);
  if (running >= 1) {
    if (measurement.machine.simulated()) summary.status = Status::simulated;
    summary.estimate = count;
    summary.ci95 = 0;
    return;
  }
  summary.status = Status::estimated;
  summary.estimate = count / running;
  summary.share = running;
  summary.reason = fmt::format(
      "its counter ran {:.1f} % of the time, chosen by the kernel: no interval", 100 * running);
  caveats.push_back({Caveat::Kind::shared_always, event.name});
}

void check_order(const Measurement& measurement, const CountedEvent& event, const SetTurns& turns,
                 double risk, std::vector<Caveat>& caveats) {
  std::vector<double> counts;
  counts.reserve(turns.periods.size());
  for (const std::size_t period : turns.periods) {
    const auto& of_period = measurement.periods[period].counts;
    counts.push_back(event.slot < of_period.size() ? static_cast<double>(of_period[event.slot])
                                                   : 0.0);
  }
  const Homogeneity found = check_homogeneity(counts, turns.covered, risk);
  if (found.phases) caveats.push_back({Caveat::Kind::phases, event.name});
  if (found.bursts) caveats.push_back({Caveat::Kind::bursts, event.name});
}

void counted_in_turns(const Measurement& measurement, const CountedEvent& event,
                      EventEstimate& estimate, const WholeReference& whole, double risk,
                      std::vector<Caveat>& caveats) {
  EventSummary& summary = estimate.summary;
  if (estimate.turns == nullptr || !estimate.turns->had_turns)
    return fail(summary, "its set had no turn in this time",
                "measure for longer, or ask for fewer events");
  const SetTurns& turns = *estimate.turns;
  if (turns.running <= 0)
    return fail(summary, "its counter never ran during its turns",
                "stop other users of the PMU (another profiler, the NMI watchdog)");
  if (turns.covered_total <= 0)
    return fail(summary, "the workload did not run during its turns",
                "measure for longer, or ask for fewer events");
  if (turns.running < kNearlyAlwaysRunning)
    caveats.push_back({Caveat::Kind::shared_turns, event.name});

  if (event.truth && *event.truth < measurement.always.size())
    summary.truth = static_cast<double>(measurement.always[*event.truth]) * event.scale;
  estimate.ratio = estimate_ratio(measurement, turns, event.slot, whole);
  summary.status = Status::estimated;
  summary.count = estimate.ratio.counted * event.scale;
  summary.estimate = estimate.ratio.value * event.scale;
  summary.share = estimate.ratio.share;
  summary.periods = turns.periods.size() * measurement.merge_factor;
  if (turns.periods.size() < kFewestTurns) {
    summary.reason = "too few periods for an interval";
    caveats.push_back({Caveat::Kind::too_few, event.name});
    return;
  }
  summary.ci95 = half_width95(estimate.ratio, turns) * event.scale;
  if (estimate.ratio.counted == 0) {
    caveats.push_back({Caveat::Kind::none_seen, event.name});
    return;
  }
  check_order(measurement, event, turns, risk, caveats);
}

// An event that no turn saw may have come in a burst between its turns, if others did.
void drop_bounds_beside_bursts(Estimates& estimates) {
  std::vector<Caveat>& caveats = estimates.caveats;
  if (std::ranges::find(caveats, Caveat::Kind::bursts, &Caveat::kind) == caveats.end()) return;
  for (Caveat& caveat : caveats)
    if (caveat.kind == Caveat::Kind::none_seen) caveat.kind = Caveat::Kind::none_seen_in_bursts;
  for (EventEstimate& event : estimates.events) {
    EventSummary& summary = event.summary;
    if (summary.status != Status::estimated || summary.estimate != 0.0 || !summary.ci95) continue;
    summary.ci95 = std::nullopt;
    summary.reason = "no bound, because other events came in bursts";
  }
}

}  // namespace

Estimates estimate_events(const Measurement& measurement) {
  Estimates estimates;
  estimates.sets = turns_of_sets(measurement);
  const WholeReference whole = whole_reference(measurement);
  const auto turned = std::ranges::count(measurement.events, Duty::turned, &CountedEvent::duty);
  const double risk = kFalseAlarm / static_cast<double>(std::max<std::ptrdiff_t>(1, turned));
  for (const CountedEvent& event : measurement.events) {
    EventEstimate& estimate = estimates.events.emplace_back();
    estimate.summary.name = event.name;
    estimate.summary.unit = event.unit;
    estimate.scale = event.scale;
    switch (event.duty) {
      case Duty::always:
        counted_always(measurement, event, estimate.summary, estimates.caveats);
        break;
      case Duty::turned:
        if (event.set < estimates.sets.size()) estimate.turns = &estimates.sets[event.set];
        counted_in_turns(measurement, event, estimate, whole, risk, estimates.caveats);
        break;
      case Duty::unsupported:
      case Duty::failed:
        not_counted(event, estimate.summary);
        break;
    }
  }
  drop_bounds_beside_bursts(estimates);
  return estimates;
}

}  // namespace tacho
