#include "merge/stat_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/regular_file.hpp"
#include "report/json_reader.hpp"

namespace tacho {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostValues = std::size_t{1} << 20;  // in the report

std::unexpected<Error> unusable(const std::string& path, std::string_view what) {
  return failure(fmt::format("'{}' is no report: {}", path, what),
                 "give files that 'tacho stat --json -o FILE' wrote");
}

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == text.npos) return {};
  text = text.substr(0, end + 1);
  return text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
}

// Whether a count, a time or a ratio can have this value.
bool is_possible(const std::optional<double>& value) {
  constexpr double kMost = 1e30;
  return !value || (*value >= -kMost && *value <= kMost);
}

Status status_named(std::string_view word) {
  for (const Status status :
       {Status::counted, Status::simulated, Status::estimated, Status::unsupported})
    if (word == to_string(status)) return status;
  return Status::failed;
}

// The part of a half-width that is not independent of that of other files.
double shared_in(const json& object, const std::optional<double>& ci95) {
  return number_of(object, "shared95").value_or(ci95.value_or(0));
}

EventSummary event_in(const json& object) {
  EventSummary event;
  event.name = text_of(object, "name");
  event.unit = text_of(object, "unit");
  event.status = status_named(text_of(object, "status"));
  event.count = number_of(object, "count");
  event.estimate = number_of(object, "estimate");
  event.ci95 = number_of(object, "ci95");
  event.shared95 = shared_in(object, event.ci95);
  event.reason = text_of(object, "reason");
  event.pmu = text_of(object, "pmu");
  event.part_of = text_of(object, "part_of");
  return event;
}

MetricSummary metric_in(const json& object) {
  MetricSummary metric;
  metric.name = text_of(object, "name");
  metric.unit = text_of(object, "unit");
  metric.value = number_of(object, "value");
  metric.ci95 = number_of(object, "ci95");
  metric.reason = text_of(object, "reason");
  metric.shared95 = shared_in(object, metric.ci95);
  return metric;
}

bool is_possible(const EventSummary& event) {
  return !event.name.empty() && is_possible(event.count) && is_possible(event.estimate) &&
         event.estimate.value_or(0) >= 0 && is_possible(event.ci95) &&
         event.ci95.value_or(0) >= 0 && is_possible(event.shared95) && event.shared95 >= 0;
}

bool is_possible(const MetricSummary& metric) {
  return !metric.name.empty() && is_possible(metric.value) && is_possible(metric.ci95) &&
         metric.ci95.value_or(0) >= 0 && is_possible(metric.shared95) && metric.shared95 >= 0;
}

// Adds the items to `to`; false if one has an impossible value. A name that is there already is the
// same event, counted twice.
template <class Item>
bool take(const json& list, Item (*read)(const json&), std::vector<Item>& to) {
  std::set<std::string> names;
  for (const json& each : list) {
    Item item = read(each);
    if (!is_possible(item)) return false;
    if (names.insert(item.name).second) to.push_back(std::move(item));
  }
  return true;
}

}  // namespace

Result<StatFile> read_stat_file(const std::string& path) {
  const auto text = read_regular_file(path, kMostBytes);
  if (!text) return std::unexpected(text.error());
  return parse_stat_file(*text, path);
}

Result<StatFile> parse_stat_file(std::string_view text, const std::string& path) {
  if (last_line(text).empty()) return unusable(path, "it is empty");
  json report = parse_json(text, kMostValues);
  if (report.is_discarded()) report = parse_json(last_line(text), kMostValues);
  if (report.is_discarded()) return unusable(path, "it is no JSON, or its end is missing");
  if (member_of(report, "interval").is_number())
    return unusable(path, "it has the intervals of -I, but not the report at their end");
  const json& tacho = member_of(report, "tacho");
  if (!tacho.is_object() || !member_of(report, "events").is_array() ||
      !member_of(report, "exit").is_object())
    return unusable(path, "it is JSON of something else");
  if (count_of(tacho, "schema") != 1) return unusable(path, "it has another schema than 1");
  StatFile file;
  file.path = path;
  file.label = text_of(report, "label");
  const json& pmu = member_of(report, "pmu");
  file.pmu_kind = pmu_kind_named(text_of(pmu, "kind"));
  file.pmu_name = text_of(pmu, "name");
  file.exit_code = number_of(member_of(report, "exit"), "code");
  file.signal = number_of(member_of(report, "exit"), "signal");
  for (const char* const name :
       {"elapsed_s", "simulated_s", "user_s", "system_s", "max_rss_bytes"}) {
    const auto value = number_of(report, name);
    if (!is_possible(value) || value.value_or(0) < 0)
      return unusable(path, "a value is not possible");
    if (value) file.run.push_back({name, *value});
  }
  if (!take(member_of(report, "events"), event_in, file.summary.events) ||
      !take(member_of(report, "metrics"), metric_in, file.summary.metrics))
    return unusable(path, "a value is not possible");
  for (const json& warning : member_of(report, "warnings"))
    if (warning.is_string()) file.summary.warnings.push_back(warning.get<std::string>());
  return file;
}

}  // namespace tacho
