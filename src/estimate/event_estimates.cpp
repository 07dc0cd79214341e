#include "estimate/event_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/cpus.hpp"
#include "stats/homogeneity.hpp"
#include "stats/lane_view.hpp"

namespace tacho {
namespace {

// Probability of a false warning of phases in a run of steady events, for any number of events.
constexpr double kFalseAlarm = 0.005;
// If a set had counters for at least this part of its turns, there is no warning. Periods without
// counters are left out anyway.
constexpr double kNearlyAlwaysRunning = 0.99;
// The same for a set of one of several core PMUs beside its reference. The time of turns is only
// known on average, so this allows more.
constexpr double kNearlyLikeReference = 0.95;

void fail(EventSummary& summary, std::string reason, std::string remedy) {
  summary.status = Status::failed;
  summary.count = summary.estimate = summary.ci95 = std::nullopt;
  summary.share = 0;
  summary.reason = std::move(reason);
  summary.remedy = std::move(remedy);
}

void not_counted(const CountedEvent& event, EventSummary& summary) {
  fail(summary, event.reason.empty() ? "it could not be counted" : event.reason, event.remedy);
  if (event.duty != Duty::failed) summary.status = Status::unsupported;
}

// Measurements that are made by hand may lack it.
double running_ns_of(const Measurement& measurement, const CountedEvent& event) {
  return event.slot < measurement.always_running_ns.size()
             ? static_cast<double>(measurement.always_running_ns[event.slot])
             : 0;
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
  summary.running_ns = running_ns_of(measurement, event);
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

// "on cpu_core (CPUs 0-7): 40.0 % of the CPU time"
std::string time_on(const Lane& lane) {
  return fmt::format("on {} ({}): {:.1f} % of the CPU time", lane.pmu, cpus_in_words(lane.cpus),
                     100 * lane.share());
}

// A task's events on some of the cores count exactly while the task is there. The time on other
// cores is not covered, and never extrapolated. Returns the lane of such an event.
const Lane* lane_of_task(const Measurement& measurement, const CountedEvent& event) {
  return measurement.workload.every_cpu ? nullptr : lane_of(measurement, event.core_pmu);
}

// Nothing ran on the lane's cores. That is a count of 0 only if the task did not run, or if the
// other core PMUs counted all the time; else another program may hold this PMU.
void never_there(const Measurement& measurement, const Lane& lane, EventSummary& summary) {
  const bool slept = lane.enabled_ns == 0;  // the task did not run at all
  if (!slept && (!measurement.lanes_are_all || covered_by_lanes(measurement) < kCoveredByLanes))
    return fail(summary,
                fmt::format("nothing ran on the CPUs of {} ({}), or another program uses the PMU",
                            lane.pmu, cpus_in_words(lane.cpus)),
                "count the other kind of core, or stop other users of the PMU");
  summary.count = summary.estimate = summary.ci95 = 0;
  if (slept) return;
  summary.share = 0;
  summary.reason = time_on(lane);
}

void counted_on_cores(const Measurement& measurement, const CountedEvent& event, const Lane& lane,
                      EventSummary& summary, std::vector<Caveat>& caveats) {
  if (event.slot >= measurement.always.size())
    return fail(summary, "the measurement has no count of it", "measure again");
  const double running = measurement.always_running[event.slot];
  summary.periods = period_count(measurement);
  if (lane.running_ns == 0) return never_there(measurement, lane, summary);
  if (running <= 0)
    return fail(summary, "its counter never ran",
                "stop other users of the PMU (another profiler, the NMI watchdog)");
  const double count = static_cast<double>(measurement.always[event.slot]) * event.scale;
  summary.count = summary.estimate = count;
  summary.share = running;
  summary.running_ns = running_ns_of(measurement, event);
  if (running < kNearlyAlwaysRunning * lane.share()) {
    const double part = running / lane.share();
    summary.status = Status::estimated;
    summary.estimate = count / part;
    summary.reason = fmt::format(
        "its counter ran {:.1f} % of the time on these cores, chosen by the kernel: no interval",
        100 * part);
    return caveats.push_back({Caveat::Kind::shared_always, event.name});
  }
  if (measurement.lanes_are_all && covered_by_lanes(measurement) < kCoveredByLanes) {
    summary.status = Status::estimated;
    summary.reason = "the PMUs had no counters for part of the time: no interval";
    return;
  }
  summary.ci95 = 0;
  if (running < 1) summary.reason = time_on(lane);
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

// Fills in the estimate of a turned event. `view` has the periods of its lane, in which its set has
// turns; `slot` is its place in them.
void counted_in_turns(const Measurement& view, const CountedEvent& event, EventEstimate& estimate,
                      double risk, std::vector<Caveat>& caveats) {
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

  estimate.ratio = estimate_ratio(view, turns, event.slot, whole_reference(view));
  summary.status = Status::estimated;
  summary.count = estimate.ratio.counted * event.scale;
  summary.estimate = estimate.ratio.value * event.scale;
  summary.share = estimate.ratio.share;
  summary.periods = turns.periods.size() * view.merge_factor;
  for (const std::size_t period : turns.periods)
    summary.running_ns += static_cast<double>(view.periods[period].running_ns);
  if (turns.periods.size() < kFewestTurns) {
    summary.reason = "too few periods for an interval";
    caveats.push_back({Caveat::Kind::too_few, event.name});
    return;
  }
  summary.ci95 = half_width95(estimate.ratio, turns) * event.scale;
  summary.shared95 = estimate.ratio.doubt95 * event.scale;
  if (estimate.ratio.counted == 0) {
    caveats.push_back({Caveat::Kind::none_seen, event.name});
    return;
  }
  check_order(view, event, turns, risk, caveats);
}

// A set's turns of a task on some cores: whether the set had its counters is compared with the
// reference of its lane, which counts all the time.
void compare_with_reference(const Measurement& measurement, const Lane& lane,
                            const Measurement& view, std::span<SetTurns> sets) {
  double running = 0;
  for (const Period& period : view.periods) running += static_cast<double>(period.running_ns);
  const double elapsed = measurement.workload.counting_s();
  const double in_periods = elapsed > 0 ? 1 - std::min(0.9, measurement.turning_s / elapsed) : 1;
  const double all = static_cast<double>(lane.running_ns) * in_periods;
  const double part = all > 0 ? running / all : 1;
  for (SetTurns& turns : sets)
    turns.running = turns.running <= 0 ? turns.running : part < kNearlyLikeReference ? part : 1;
}

// A turned event on unequal cores.
void counted_in_lane(const Measurement& measurement, const CountedEvent& event,
                     const LaneView& view, EventEstimate& estimate, double risk,
                     std::vector<Caveat>& caveats) {
  const Lane* lane = lane_of_task(measurement, event);
  if (lane != nullptr && lane->running_ns == 0) {
    estimate.turns = nullptr;
    return never_there(measurement, *lane, estimate.summary);
  }
  counted_in_turns(view.measurement, event, estimate, risk, caveats);
  EventSummary& summary = estimate.summary;
  if (lane == nullptr) return;
  if (estimate.turns != nullptr && estimate.turns->had_turns && estimate.turns->running <= 0 &&
      lane->share() < 1)
    fail(summary,
         fmt::format("the program was not on {} during its turns", cpus_in_words(lane->cpus)),
         "measure for longer, or ask for fewer events");
  if (!summary.estimate) return;
  summary.share *= lane->share();
  if (summary.reason.empty()) summary.reason = time_on(*lane);
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

// Where all cores are alike, the only view is the Measurement itself.
std::vector<LaneView> views_of(const Measurement& measurement) {
  std::vector<LaneView> views;
  for (std::size_t lane = 0; lane < measurement.lanes.size(); ++lane)
    views.push_back(view_of_lane(measurement, lane));
  return views;
}

std::vector<SetTurns> turns_of(const Measurement& measurement, std::span<const LaneView> views) {
  if (views.empty()) return turns_of_sets(measurement);
  std::vector<SetTurns> sets;
  for (std::size_t lane = 0; lane < views.size(); ++lane) {
    std::vector<SetTurns> own = turns_of_sets(views[lane].measurement);
    const Lane& of = measurement.lanes[lane];
    if (!of.pmu.empty() && !measurement.workload.every_cpu)
      compare_with_reference(measurement, of, views[lane].measurement, own);
    std::ranges::move(own, std::back_inserter(sets));
  }
  return sets;
}

EventEstimate named(const CountedEvent& event) {
  EventEstimate estimate;
  estimate.summary.name = event.name;
  estimate.summary.unit = event.unit;
  estimate.summary.pmu = event.core_pmu;
  estimate.summary.part_of = event.part_of;
  estimate.scale = event.scale;
  estimate.elsewhere = event.duty == Duty::elsewhere;
  return estimate;
}

void estimate_turned(const Measurement& measurement, const CountedEvent& event,
                     std::span<const LaneView> views, double risk, Estimates& estimates) {
  EventEstimate& estimate = estimates.events.back();
  if (event.set < estimates.sets.size()) estimate.turns = &estimates.sets[event.set];
  if (views.empty())
    counted_in_turns(measurement, event, estimate, risk, estimates.caveats);
  else
    counted_in_lane(measurement, event, views[measurement.lane_of_set[event.set]], estimate, risk,
                    estimates.caveats);
  if (estimate.summary.estimate && event.truth && *event.truth < measurement.always.size())
    estimate.summary.truth = static_cast<double>(measurement.always[*event.truth]) * event.scale;
}

}  // namespace

Estimates estimate_events(const Measurement& measurement) {
  Estimates estimates;
  const std::vector<LaneView> views = views_of(measurement);
  estimates.sets = turns_of(measurement, views);
  const auto turned = std::ranges::count(measurement.events, Duty::turned, &CountedEvent::duty);
  const double risk = kFalseAlarm / static_cast<double>(std::max<std::ptrdiff_t>(1, turned));
  const bool was_off = measurement.workload.counted_s == 0.0;
  for (const CountedEvent& event : measurement.events) {
    EventSummary& summary = estimates.events.emplace_back(named(event)).summary;
    if (was_off && (event.duty == Duty::always || event.duty == Duty::turned)) {
      fail(summary, "counting was off all the time",
           "give a shorter delay (-D), or let 'enable' of --control come while the workload runs");
      continue;
    }
    switch (event.duty) {
      case Duty::always:
        if (const Lane* lane = lane_of_task(measurement, event))
          counted_on_cores(measurement, event, *lane, summary, estimates.caveats);
        else
          counted_always(measurement, event, summary, estimates.caveats);
        break;
      case Duty::turned:
        estimate_turned(measurement, event, views, risk, estimates);
        break;
      case Duty::unsupported:
      case Duty::failed:
      case Duty::elsewhere:
        not_counted(event, summary);
        break;
    }
  }
  drop_bounds_beside_bursts(estimates);
  return estimates;
}

}  // namespace tacho
