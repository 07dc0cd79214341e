// The lines of -I. Text has columns of a fixed width, because later lines are not known yet.
#include "stat/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "report/absence.hpp"
#include "report/figure.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr std::size_t kTimeWidth = 12;
constexpr std::size_t kValueWidth = 20;
constexpr std::size_t kUnitWidth = 16;

std::string columns(std::string_view time, const Figure& figure, std::string_view name) {
  const std::string zone = figure.unit + (figure.unit.empty() ? "" : " ") + figure.spread;
  return pad_left(time, kTimeWidth) + ' ' + pad_left(figure.value, kValueWidth) + ' ' +
         pad_right(zone, kUnitWidth) + ' ' + std::string(name) + '\n';
}

// Whether the event takes turns and was not counted in this interval. It may be in the next one.
bool is_passing(const EventSummary& event, const Measurement& slice) {
  const auto counted = std::ranges::find(slice.events, event.name, &CountedEvent::name);
  return is_absent(event) && counted != slice.events.end() &&
         (counted->duty == Duty::turned || counted->duty == Duty::always);
}

// Whether the metric has no value in this interval: an event of it was not counted in it, or the
// event that it divides by did not happen.
bool is_passing(const MetricSummary& metric, const Summary& summary, const Measurement& slice) {
  if (metric.value && std::isfinite(*metric.value)) return false;
  return metric.reason.starts_with("division by zero") ||
         std::ranges::any_of(summary.events, [&](const EventSummary& event) {
           return is_passing(event, slice) && metric.reason.contains(event.name);
         });
}

std::string missing(std::string_view time, std::string_view name, std::string_view reason) {
  return columns(time, {"-", "", ""}, fmt::format("{} ({})", name, printable(reason, 2000)));
}

}  // namespace

std::size_t lasting_absences(const Summary& summary, const Measurement& slice) {
  return static_cast<std::size_t>(std::ranges::count_if(
      summary.events,
      [&](const EventSummary& event) { return is_absent(event) && !is_passing(event, slice); }));
}

std::string absences_text(const Summary& summary, const Measurement& slice) {
  std::string text;
  Summary lasting = summary;
  std::erase_if(lasting.events,
                [&](const EventSummary& event) { return is_passing(event, slice); });
  std::erase_if(lasting.metrics,
                [&](const MetricSummary& metric) { return is_passing(metric, summary, slice); });
  for (const Absence& absence : absences(lasting)) {
    text += fmt::format("# not available: {} ({})\n", fmt::join(absence.names, ", "),
                        printable(absence.reason, 2000));
  }
  return text;
}

std::string interval_start_text(const Summary& summary, const Measurement& slice) {
  std::string text;
  if (slice.machine.simulated())
    text = fmt::format("# simulated, in simulated time ({})\n", printable(slice.machine.pmu_name));
  return text + absences_text(summary, slice) +
         columns("#   time (s)", {"count", "", "95 %"}, "event");
}

std::string interval_text(double time_s, const Summary& summary, const Measurement& slice,
                          const NumberStyle& style) {
  const std::string time = fixed(time_s, 3, style);
  std::string text;
  for (const EventSummary& event : summary.events) {
    if (is_passing(event, slice)) text += missing(time, event.name, reason_of(event));
    if (is_absent(event)) continue;
    const Figure figure = figure_of(event, false, style);
    if (!figure.value.empty())
      text += columns(time, figure, (event.part_of.empty() ? "" : "  ") + event.name);
  }
  for (const MetricSummary& metric : summary.metrics) {
    const Figure figure = figure_of(metric, style);
    if (!figure.value.empty()) text += columns(time, figure, metric.name);
    if (is_passing(metric, summary, slice)) text += missing(time, metric.name, metric.reason);
  }
  return text;
}

std::string interval_json(double time_s, const Summary& summary) {
  return written({{"interval", json_number(time_s)},
                  {"events", json_events(summary)},
                  {"metrics", json_metrics(summary)},
                  {"warnings", json_list(summary.warnings)}});
}

std::string interval_start_csv() {
  return "time_s,kind,name,status,count,estimate,ci95,unit,share,periods,reason,low,high\n";
}

std::string interval_csv(double time_s, const Summary& summary) {
  const std::string time = csv_number(time_s);
  std::string text;
  for (const EventSummary& event : summary.events) {
    const bool absent = is_absent(event);
    const auto number = [&](const std::optional<double>& value) {
      return absent ? std::string() : csv_number(value);
    };
    const auto ends = ends_of(event);
    text += fmt::format("{},event,{},{},{},{},{},{},{},{},{},{},{}\n", time, csv_field(event.name),
                        to_string(event.status), number(event.count), number(estimate_of(event)),
                        number(event.ci95), csv_field(event.unit), number(event.share),
                        number(static_cast<double>(event.periods)),
                        csv_field(absent ? reason_of(event) : event.reason), number(low_of(ends)),
                        number(high_of(ends)));
  }
  for (const MetricSummary& metric : summary.metrics) {
    const auto ends = ends95(metric);
    text +=
        fmt::format("{},metric,{},,,{},{},{},,,{},{},{}\n", time, csv_field(metric.name),
                    csv_number(metric.value), csv_number(metric.value ? metric.ci95 : std::nullopt),
                    csv_field(metric.unit), csv_field(metric.reason), csv_number(low_of(ends)),
                    csv_number(high_of(ends)));
  }
  return text;
}

}  // namespace tacho
