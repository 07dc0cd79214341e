// Lines of -I: text in columns of a fixed width, since the lines to come are not known.
#include "report/interval.hpp"

#include <fmt/format.h>

#include "base/layout.hpp"
#include "base/number.hpp"
#include "report/absence.hpp"
#include "report/figure.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr std::size_t kTimeWidth = 12;
constexpr std::size_t kValueWidth = 20;
constexpr std::size_t kUnitWidth = 12;

std::string columns(std::string_view time, const Figure& figure, std::string_view name) {
  const std::string zone = figure.unit + (figure.unit.empty() ? "" : " ") + figure.spread;
  return pad_left(time, kTimeWidth) + ' ' + pad_left(figure.value, kValueWidth) + ' ' +
         pad_right(zone, kUnitWidth) + ' ' + std::string(name) + '\n';
}

}  // namespace

std::string interval_start_text(const Summary& summary, const Machine& machine) {
  std::string text;
  if (machine.simulated())
    text = fmt::format("# simulated, in simulated time ({})\n", printable(machine.pmu_name));
  for (const Absence& absence : absences(summary)) {
    text += fmt::format("# not available: {} ({})\n", fmt::join(absence.names, ", "),
                        printable(absence.reason, 2000));
  }
  return text + columns("#   time (s)", {"count", "", "95 %"}, "event");
}

std::string interval_text(double time_s, const Summary& summary, const NumberStyle& style) {
  const std::string time = fixed(time_s, 3, style);
  std::string text;
  for (const EventSummary& event : summary.events) {
    if (is_absent(event)) continue;
    const Figure figure = figure_of(event, false, style);
    if (!figure.value.empty()) text += columns(time, figure, event.name);
  }
  for (const MetricSummary& metric : summary.metrics) {
    const Figure figure = figure_of(metric, style);
    if (!figure.value.empty()) text += columns(time, figure, metric.name);
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
  return "time_s,kind,name,status,count,estimate,ci95,unit,share,periods,reason\n";
}

std::string interval_csv(double time_s, const Summary& summary) {
  const std::string time = csv_number(time_s);
  std::string text;
  for (const EventSummary& event : summary.events) {
    const bool absent = is_absent(event);
    const auto number = [&](const std::optional<double>& value) {
      return absent ? std::string() : csv_number(value);
    };
    text += fmt::format("{},event,{},{},{},{},{},{},{},{},{}\n", time, csv_field(event.name),
                        to_string(event.status), number(event.count), number(estimate_of(event)),
                        number(event.ci95), csv_field(event.unit), number(event.share),
                        number(static_cast<double>(event.periods)),
                        csv_field(absent ? reason_of(event) : event.reason));
  }
  for (const MetricSummary& metric : summary.metrics) {
    text +=
        fmt::format("{},metric,{},,,{},{},{},,,{}\n", time, csv_field(metric.name),
                    csv_number(metric.value), csv_number(metric.value ? metric.ci95 : std::nullopt),
                    csv_field(metric.unit), csv_field(metric.reason));
  }
  return text;
}

}  // namespace tacho
