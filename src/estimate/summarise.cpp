#include "estimate/summarise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "estimate/caveat.hpp"
#include "estimate/event_estimates.hpp"
#include "estimate/metrics.hpp"
#include "stats/ratio.hpp"
#include "stats/repeats.hpp"

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

struct Repeat {
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

// Joins the summaries of one event. It may have a value in all runs, in some, or in none.
EventSummary join(const std::vector<const EventSummary*>& runs) {
  const auto missing = [](const EventSummary* run) { return !run->estimate; };
  const std::vector<double> estimates = present(runs, &EventSummary::estimate);
  if (estimates.empty()) return *runs.front();
  EventSummary joined = **std::ranges::find_if_not(runs, missing);
  const bool whole = joined.unit.empty() || joined.unit == "ns";
  const auto is_estimated = [](const EventSummary* run) {
    return run->status == Status::estimated;
  };
  const Repeats repeats =
      over_repeats(estimates, whole && std::ranges::none_of(runs, is_estimated) ? 1 : 0);
  joined.estimate = repeats.mean;
  joined.minimum = repeats.minimum;
  joined.ci95 = repeats.half_width;
  joined.count = over_repeats(present(runs, &EventSummary::count)).mean;
  if (const auto truths = present(runs, &EventSummary::truth); !truths.empty())
    joined.truth = over_repeats(truths).mean;
  joined.reason.clear();
  joined.remedy.clear();
  joined.share = 0;
  joined.periods = 0;
  for (const EventSummary* run : runs) {
    if (missing(run)) continue;
    joined.share += run->share / static_cast<double>(estimates.size());
    joined.periods += run->periods;
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

// Returns a warning for each event that was counted in some of the runs only.
std::vector<std::string> partly_counted(const std::vector<Repeat>& runs) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < runs.front().events.size(); ++i) {
    const auto counted =
        static_cast<std::size_t>(std::ranges::count_if(runs, [&](const Repeat& run) {
          return i < run.events.size() && run.events[i].estimate.has_value();
        }));
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
  summary.metrics = evaluate_metrics(estimates, metrics);
  for (EventEstimate& event : estimates.events) summary.events.push_back(std::move(event.summary));
  append_new(summary.warnings, measurement.warnings);
  append_new(summary.warnings, stolen_time(measurement));
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
    run.metrics = evaluate_metrics(estimates, metrics);
    for (EventEstimate& event : estimates.events) run.events.push_back(std::move(event.summary));
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
  // An event was seen in some runs only: the interval over the runs includes this already.
  std::erase_if(caveats, [&](const Caveat& caveat) {
    const auto event = std::ranges::find(summary.events, caveat.event, &EventSummary::name);
    return caveat.kind == Caveat::Kind::none_seen && event->count != 0.0;
  });
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
