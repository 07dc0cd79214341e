#include "estimate/core_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "stats/ratio.hpp"

namespace tacho {
namespace {

// No sum, because a part is missing. If all parts are missing for one reason, it is that of the
// sum.
void no_sum(EventSummary& sum, std::span<const EventSummary* const> parts) {
  const auto lacks = [](const EventSummary* part) { return !part->estimate; };
  const EventSummary& first = **std::ranges::find_if(parts, lacks);
  sum.status = first.status;
  sum.remedy = first.remedy;
  sum.reason = first.reason;
  sum.share = 0;
  const bool alike = std::ranges::all_of(
      parts, [&](const EventSummary* part) { return lacks(part) && part->reason == first.reason; });
  if (!alike) sum.reason = fmt::format("no sum without {}: {}", first.pmu, first.reason);
}

// The interval of the sum. A sum of exact counts is exact.
void add_interval(EventSummary& sum, const AskedEvent& asked, const Estimates& estimates) {
  std::vector<Argument> arguments;
  for (const std::size_t index : asked.parts) {
    const EventEstimate& part = estimates.events[index];
    if (!part.summary.estimate) continue;  // on other CPUs
    if (!part.summary.ci95) {
      sum.reason = part.summary.reason;
      return;
    }
    if (part.turns != nullptr)
      arguments.push_back({*part.summary.estimate, part.scale, &part.ratio, part.turns});
  }
  sum.ci95 = 0;
  if (arguments.empty()) return;
  const auto total = [](std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  sum.ci95 = half_width95(total, arguments);
}

}  // namespace

std::vector<AskedEvent> asked_events(const Estimates& estimates) {
  std::vector<AskedEvent> asked;
  for (std::size_t i = 0; i < estimates.events.size(); ++i) {
    const EventSummary& event = estimates.events[i].summary;
    const bool is_part = !event.part_of.empty();
    const auto sum = std::ranges::find_if(asked, [&](const AskedEvent& each) {
      return is_part && each.is_sum && each.name == event.part_of;
    });
    if (sum != asked.end())
      sum->parts.push_back(i);
    else
      asked.push_back({is_part ? event.part_of : event.name, {i}, is_part});
  }
  return asked;
}

EventSummary sum_over_cores(const AskedEvent& asked, const Estimates& estimates,
                            const Measurement& measurement) {
  EventSummary sum;
  sum.name = asked.name;
  std::vector<const EventSummary*> parts;
  for (const std::size_t index : asked.parts)
    if (!estimates.events[index].elsewhere) parts.push_back(&estimates.events[index].summary);
  if (parts.empty()) parts.push_back(&estimates.events[asked.parts.front()].summary);
  sum.unit = parts.front()->unit;
  if (!std::ranges::all_of(parts,
                           [](const EventSummary* part) { return part->estimate.has_value(); })) {
    no_sum(sum, parts);
    return sum;
  }
  sum.count = sum.estimate = 0;
  sum.share = 0;
  for (const EventSummary* part : parts) {
    *sum.count += part->count.value_or(0);
    *sum.estimate += *part->estimate;
    sum.shared95 += part->shared95;
    sum.share += part->share;
    sum.running_ns += part->running_ns;
    sum.periods = std::max(sum.periods, part->periods);
    if (part->status == Status::estimated) sum.status = Status::estimated;
  }
  // Each part covers all the time of its CPUs, but only a part of a task's time.
  if (measurement.workload.every_cpu) sum.share /= static_cast<double>(parts.size());
  sum.share = std::min(sum.share, 1.0);
  add_interval(sum, asked, estimates);
  return sum;
}

std::vector<EventSummary> summaries_with_sums(const Estimates& estimates,
                                              const Measurement& measurement) {
  std::vector<EventSummary> summaries;
  for (const AskedEvent& asked : asked_events(estimates)) {
    if (asked.is_sum) summaries.push_back(sum_over_cores(asked, estimates, measurement));
    for (const std::size_t part : asked.parts) summaries.push_back(estimates.events[part].summary);
  }
  return summaries;
}

}  // namespace tacho
