#include "estimate/summarise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "estimate/caveat.hpp"
#include "estimate/core_sums.hpp"
#include "estimate/event_estimates.hpp"
#include "estimate/metrics.hpp"
#include "stats/ratio.hpp"
#include "stats/repeats.hpp"
#include "stats/run_order.hpp"

namespace tacho {
namespace {

void append_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& text : from)
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
}

// A warning if a hypervisor took the CPU for long enough to matter.
std::vector<std::string> stolen_time(const Measurement& measurement) {
  constexpr double kNotice = 0.01;
  const double stolen = stolen_share(measurement);
  if (measurement.sets == 0 || stolen <= kNotice) return {};
  return {
      fmt::format("the CPU was taken away for {:.1f} % of task-clock, most likely by a hypervisor: "
                  "the intervals allow for it (measure again when the machine is less busy)",
                  100 * stolen)};
}

// A warning if tacho could not turn the sets for a part of the run that matters.
std::vector<std::string> long_turns(const Measurement& measurement) {
  constexpr double kNotice = 0.02;
  if (measurement.sets < 2) return {};
  double all = 0, in_long_turns = 0;
  for (const Period& period : measurement.periods) {
    const auto reference = static_cast<double>(period.reference);
    all += reference;
    if (is_long_turn(measurement, period)) in_long_turns += reference;
  }
  if (in_long_turns <= kNotice * all) return {};
  return {
      fmt::format("for {:.0f} % of the run tacho had no CPU to turn the event sets: each of "
                  "these turns was seen by one set alone, and the intervals of the others "
                  "allow for it (leave tacho a CPU, or measure when the machine is less busy)",
                  100 * in_long_turns / all)};
}

// Adds the time in which counting was on as an event, which only formulas name: perf's
// duration_time, in nanoseconds.
void add_duration(Estimates& estimates, const Measurement& measurement) {
  EventEstimate duration;
  duration.summary.name = "duration_time";
  duration.summary.unit = "ns";
  duration.summary.estimate = duration.summary.count = 1e9 * measurement.workload.counting_s();
  duration.summary.ci95 = 0;
  estimates.events.push_back(std::move(duration));
}

struct Repeat {
  double elapsed_s = 0;
  double counting_s = 0;
  std::vector<EventSummary> events;
  std::vector<MetricSummary> metrics;
};

// Returns the values of one field over the runs, without the missing ones.
template <class Item, class Field>
std::vector<double> present(const std::vector<const Item*>& items, Field field) {
  std::vector<double> values;
  for (const Item* item : items)
    if (item->*field) values.push_back(*(item->*field));
  return values;
}

// The step of over_repeats(): 1 for counts, 0 for estimates and for units such as Joules.
double step_of(const std::vector<const EventSummary*>& runs) {
  const bool counts = std::ranges::all_of(runs, [](const EventSummary* run) {
    return (run->unit.empty() || run->unit == "ns") && run->status != Status::estimated;
  });
  return counts ? 1 : 0;
}

// Adds to the interval over the runs what all runs share, in quadrature.
template <class Item>
std::optional<double> with_shared(std::optional<double> half_width,
                                  const std::vector<const Item*>& runs) {
  if (!half_width) return half_width;
  double sum = 0;
  for (const Item* run : runs) sum += run->shared95;
  return std::hypot(*half_width, sum / static_cast<double>(runs.size()));
}

// Joins the summaries of one event. It may have a value in all runs, in some, or in none.
EventSummary join(const std::vector<const EventSummary*>& runs) {
  const auto missing = [](const EventSummary* run) { return !run->estimate; };
  const std::vector<double> estimates = present(runs, &EventSummary::estimate);
  if (estimates.empty()) return *runs.front();
  EventSummary joined = **std::ranges::find_if_not(runs, missing);
  const Repeats repeats = over_repeats(estimates, step_of(runs));
  joined.estimate = repeats.mean;
  joined.minimum = repeats.minimum;
  joined.ci95 = with_shared(repeats.half_width, runs);
  joined.rate_ci95.reset();
  joined.count = over_repeats(present(runs, &EventSummary::count)).mean;
  if (const auto truths = present(runs, &EventSummary::truth); !truths.empty())
    joined.truth = over_repeats(truths).mean;
  joined.reason.clear();
  joined.remedy.clear();
  joined.share = 0;
  joined.periods = 0;
  joined.running_ns = 0;
  for (const EventSummary* run : runs) {
    if (missing(run)) continue;
    joined.share += run->share / static_cast<double>(estimates.size());
    joined.periods += run->periods;
    joined.running_ns += run->running_ns / static_cast<double>(estimates.size());
    if (run->status == Status::estimated) joined.status = Status::estimated;
  }
  if (!joined.ci95) joined.reason = "counted in one run only";
  // An event that no turn of any run has seen may still have happened. The turns of all runs
  // together give the bound.
  if (joined.status == Status::estimated && *joined.count == 0 && joined.ci95)
    joined.ci95 = none_seen_bound(joined.share) / static_cast<double>(estimates.size());
  return joined;
}

MetricSummary join(const std::vector<const MetricSummary*>& runs) {
  MetricSummary joined = *runs.front();
  const std::vector<double> values = present(runs, &MetricSummary::value);
  if (values.empty()) return joined;
  const Repeats repeats = over_repeats(values);
  joined.value = repeats.mean;
  joined.ci95 = repeats.half_width;
  joined.reason = joined.ci95 ? "" : "counted in one run only";
  // The values are all equal, for example because no run saw an event. The bounds of the runs
  // remain: equal runs together are like one run as long as all of them.
  if (joined.ci95 == 0.0)
    if (const auto bounds = present(runs, &MetricSummary::ci95); !bounds.empty())
      joined.ci95 = over_repeats(bounds).mean / static_cast<double>(values.size());
  joined.ci95 = with_shared(joined.ci95, runs);
  return joined;
}

// Joins each item with the items of the same index in the other runs.
template <class Item>
std::vector<Item> join_all(const std::vector<Repeat>& runs, std::vector<Item> Repeat::* field) {
  std::vector<Item> joined;
  for (std::size_t i = 0; i < (runs.front().*field).size(); ++i) {
    std::vector<const Item*> same;
    for (const Repeat& run : runs)
      if (i < (run.*field).size()) same.push_back(&(run.*field)[i]);
    joined.push_back(join(same));
  }
  return joined;
}

// The runs that have a value of the event of this index.
std::vector<const Repeat*> with_event(const std::vector<Repeat>& runs, std::size_t index) {
  std::vector<const Repeat*> with;
  for (const Repeat& run : runs)
    if (index < run.events.size() && run.events[index].estimate) with.push_back(&run);
  return with;
}

// Half-width of the rate of the event of this index: the sum over the runs that have it, by the sum
// of the times in which they were counted. It is that of the mean residual count - rate · time (W.
// G. Cochran, Sampling Techniques, 3rd ed., ch. 6), by the mean time. None for one run.
std::optional<double> rate_half_width(const std::vector<Repeat>& runs, std::size_t index) {
  const std::vector<const Repeat*> with = with_event(runs, index);
  double counts = 0;
  double seconds = 0;
  for (const Repeat* run : with) {
    counts += *run->events[index].estimate;
    seconds += run->counting_s;
  }
  if (seconds <= 0) return std::nullopt;
  std::vector<double> residuals;
  std::vector<const EventSummary*> events;
  for (const Repeat* run : with) {
    events.push_back(&run->events[index]);
    residuals.push_back(*run->events[index].estimate - counts / seconds * run->counting_s);
  }
  const auto half = with_shared(over_repeats(residuals, step_of(events)).half_width, events);
  if (!half) return std::nullopt;
  return *half * static_cast<double>(with.size()) / seconds;
}

// A caveat for the elapsed time and for each event in which neighbouring runs are alike.
std::vector<Caveat> order_of(const std::vector<Repeat>& runs) {
  // At most 1 % of the reports on independent runs; the test knows its probability to ± 0.2 %.
  constexpr double kFalseAlarmOfOrder = 0.008;
  std::vector<std::string> names = {"elapsed time"};
  std::vector<std::vector<double>> series(1);
  for (const Repeat& run : runs) series.front().push_back(run.elapsed_s);
  for (std::size_t i = 0; i < runs.front().events.size(); ++i) {
    if (with_event(runs, i).size() < runs.size()) continue;
    names.push_back(runs.front().events[i].name);
    std::vector<double>& values = series.emplace_back();
    for (const Repeat& run : runs) values.push_back(*run.events[i].estimate);
  }
  std::vector<Caveat> caveats;
  for (const std::size_t i : depend_on_order(series, kFalseAlarmOfOrder))
    caveats.push_back({Caveat::Kind::order, names[i]});
  return caveats;
}

// Returns a warning for each event that was counted in some of the runs only.
std::vector<std::string> partly_counted(const std::vector<Repeat>& runs) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < runs.front().events.size(); ++i) {
    const std::size_t counted = with_event(runs, i).size();
    if (counted == 0 || counted == runs.size()) continue;
    warnings.push_back(fmt::format("{} was counted in {} of {} runs: its mean is over those",
                                   runs.front().events[i].name, counted, runs.size()));
  }
  return warnings;
}

}  // namespace

Summary summarise(const Measurement& measurement, std::span<const Metric> metrics) {
  Estimates estimates = estimate_events(measurement);
  Summary summary;
  summary.events = summaries_with_sums(estimates, measurement);
  add_duration(estimates, measurement);
  summary.metrics = evaluate_metrics(estimates, metrics);
  for (EventSummary& event : summary.events)
    if (event.ci95 && measurement.workload.counting_s() > 0)
      event.rate_ci95 = *event.ci95 / measurement.workload.counting_s();
  append_new(summary.warnings, measurement.warnings);
  append_new(summary.warnings, stolen_time(measurement));
  append_new(summary.warnings, long_turns(measurement));
  append_new(summary.warnings, in_words(estimates.caveats));
  return summary;
}

Summary summarise_repeats(std::span<const Measurement> measurements,
                          std::span<const Metric> metrics) {
  if (measurements.size() == 1) return summarise(measurements.front(), metrics);
  std::vector<Repeat> runs;
  std::vector<Caveat> caveats;
  Summary summary;
  for (const Measurement& measurement : measurements) {
    Estimates estimates = estimate_events(measurement);
    Repeat& run = runs.emplace_back();
    run.elapsed_s = measurement.workload.elapsed_s;
    run.counting_s = measurement.workload.counting_s();
    run.events = summaries_with_sums(estimates, measurement);
    add_duration(estimates, measurement);
    run.metrics = evaluate_metrics(estimates, metrics);
    append_new(summary.warnings, measurement.warnings);
    // The interval is over the runs, so too few periods in one run do not matter. Each run has an
    // order of its own, so bursts are not missed in all of them.
    for (Caveat caveat : estimates.caveats) {
      if (caveat.kind == Caveat::Kind::none_seen_in_bursts) caveat.kind = Caveat::Kind::none_seen;
      if (caveat.kind != Caveat::Kind::too_few) caveats.push_back(caveat);
    }
  }
  summary.events = join_all(runs, &Repeat::events);
  summary.metrics = join_all(runs, &Repeat::metrics);
  for (std::size_t i = 0; i < summary.events.size(); ++i)
    summary.events[i].rate_ci95 = rate_half_width(runs, i);
  // An event was seen in some runs only: the interval over the runs includes this already.
  std::erase_if(caveats, [&](const Caveat& caveat) {
    const auto event = std::ranges::find(summary.events, caveat.event, &EventSummary::name);
    return caveat.kind == Caveat::Kind::none_seen && event->count != 0.0;
  });
  std::ranges::copy(order_of(runs), std::back_inserter(caveats));
  append_new(summary.warnings, in_words(caveats));
  append_new(summary.warnings, partly_counted(runs));
  return summary;
}

void average_usage(std::span<const Measurement> runs, Workload& usage) {
  const auto mean = [runs](double Workload::* seconds) {
    double sum = 0;
    for (const Measurement& run : runs) sum += run.workload.*seconds;
    return sum / static_cast<double>(runs.size());
  };
  usage.user_s = mean(&Workload::user_s);
  usage.system_s = mean(&Workload::system_s);
  for (const Measurement& run : runs)
    usage.max_rss_bytes = std::max(usage.max_rss_bytes, run.workload.max_rss_bytes);
}

}  // namespace tacho
