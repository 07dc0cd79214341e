#include "report/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/safe_text.hpp"
#include "report/absence.hpp"

namespace tacho {
namespace {

constexpr double kExact = 9007199254740992;  // 2^53: whole numbers up to here are exact

bool is_whole(double value) {
  return value == std::round(value) && std::abs(value) <= kExact;
}

// The part of a half-width that all runs share; none without a half-width.
std::optional<double> shared_of(const std::optional<double>& ci95, double shared95) {
  return ci95 ? std::optional(shared95) : std::nullopt;
}

}  // namespace

Json json_estimated(const Estimated& value) {
  return {{"value", json_number(value.value)},
          {"ci95", std::isfinite(value.high) ? Json{json_number(value.low), json_number(value.high)}
                                             : Json()}};
}

Json json_text(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

std::optional<double> estimate_of(const EventSummary& event) {
  const bool plain = event.unit.empty() || event.unit == "ns";
  if (!event.estimate || event.status != Status::estimated || !plain) return event.estimate;
  return std::round(*event.estimate);
}

std::optional<IntervalEnds> ends_of(const EventSummary& event) {
  std::optional<IntervalEnds> ends = ends95(event);
  const std::optional<double> value = estimate_of(event);
  if (!ends || !value) return ends;
  return IntervalEnds{std::min(ends->low, *value), std::max(ends->high, *value)};
}

std::optional<double> low_of(const std::optional<IntervalEnds>& ends) {
  return ends ? std::optional(ends->low) : std::nullopt;
}

std::optional<double> high_of(const std::optional<IntervalEnds>& ends) {
  return ends ? std::optional(ends->high) : std::nullopt;
}

Json json_number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  if (is_whole(*value)) return static_cast<std::int64_t>(*value);
  return *value;
}

Json json_events(const Summary& summary) {
  Json events = Json::array();
  for (const EventSummary& event : summary.events) {
    const bool absent = is_absent(event);
    const auto number = [&](const std::optional<double>& value) {
      return absent ? Json() : json_number(value);
    };
    events.push_back({{"name", event.name},
                      {"status", to_string(event.status)},
                      {"count", number(event.count)},
                      {"estimate", number(estimate_of(event))},
                      {"ci95", number(event.ci95)},
                      {"share", number(event.share)},
                      {"periods", absent ? Json() : Json(event.periods)},
                      {"reason", absent ? Json(reason_of(event)) : json_text(event.reason)},
                      {"remedy", absent ? Json(remedy_of(event)) : json_text(event.remedy)},
                      {"unit", json_text(event.unit)},
                      {"minimum", number(event.minimum)},
                      {"truth", number(event.truth)},
                      {"low", number(low_of(ends_of(event)))},
                      {"high", number(high_of(ends_of(event)))},
                      {"shared95", number(shared_of(event.ci95, event.shared95))}});
    // Only on unequal cores.
    if (!event.pmu.empty()) events.back()["pmu"] = event.pmu;
    if (!event.part_of.empty()) events.back()["part_of"] = event.part_of;
  }
  return events;
}

Json json_metrics(const Summary& summary) {
  Json metrics = Json::array();
  for (const MetricSummary& metric : summary.metrics) {
    metrics.push_back(
        {{"name", metric.name},
         {"value", json_number(metric.value)},
         {"ci95", json_number(metric.value ? metric.ci95 : std::nullopt)},
         {"unit", metric.unit},
         {"reason", json_text(metric.reason)},
         {"low", json_number(low_of(ends95(metric)))},
         {"high", json_number(high_of(ends95(metric)))},
         {"shared95",
          json_number(shared_of(ends95(metric) ? metric.ci95 : std::nullopt, metric.shared95))}});
  }
  return metrics;
}

Json json_exit(const Workload& workload) {
  if (workload.signal) return {{"code", nullptr}, {"signal", *workload.signal}};
  return {{"code", workload.exit_code}, {"signal", nullptr}};
}

Json json_list(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

std::string written(const Json& json, int indent) {
  return json_spelled(json.dump(indent, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string csv_number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return {};
  if (is_whole(*value)) return fmt::format("{}", static_cast<std::int64_t>(*value));
  return fmt::format("{}", *value);
}

std::string csv_field(std::string_view text) {
  return csv_cell(text);
}

}  // namespace tacho
