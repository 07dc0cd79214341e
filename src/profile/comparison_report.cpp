// Comparisons of profiles as JSON and CSV, and what all their formats share.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profile/comparison_report.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

Json json_metric_changes(const std::vector<MetricChange>& changes) {
  Json json = Json::object();
  for (const MetricChange& each : changes)
    json[each.after.name] = {
        {"before",
         {{"value", json_number(each.before.value)}, {"ci95", json_number(each.before.ci95)}}},
        {"after",
         {{"value", json_number(each.after.value)}, {"ci95", json_number(each.after.ci95)}}},
        {"gained", {{"value", json_number(each.gained)}, {"ci95", nullptr}}},
        {"unit", each.after.unit}};
  return json;
}

Json json_figures(const SideFigures& side) {
  Json counts = Json::array();
  for (const double count : side.counts) counts.push_back(json_number(count));
  return {{"samples", side.samples},
          {"counts", std::move(counts)},
          {"count", json_estimated(side.count)},
          {"share", json_estimated(side.share)}};
}

// The keys that tell whether it changed.
void add_change(Json& json, const Change& change) {
  json["count_gained"] = json_estimated(change.gained);
  json["changed"] = change.test ? Json(change.is_significant()) : Json();
  json["p_adjusted"] = change.test ? Json(change.test->adjusted) : Json();
}

Json json_side(const ComparedSide& side, const SideFigures& all) {
  const ProfileSummary& first = side.recordings.front();
  std::vector<std::string> warnings;
  for (const ProfileSummary& each : side.recordings)
    for (const std::string& warning : each.warnings)
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  Json counts = Json::array();
  for (const double count : all.counts) counts.push_back(json_number(count));
  return {{"file", side.files.front()},
          {"files", json_list(side.files)},
          {"command", json_list(first.command)},
          {"machine",
           {{"host", json_text(first.host)},
            {"kernel", json_text(first.kernel)},
            {"cpu", json_text(first.cpu)}}},
          {"samples", all.samples},
          {"count", json_number(all.count.value)},
          {"counts", std::move(counts)},
          {"exact", side.is_exact()},
          {"warnings", json_list(warnings)}};
}

}  // namespace

const SampledEvent& ComparedSide::event() const {
  const ProfileSummary& first = recordings.front();
  return first.events[first.event];
}

bool ComparedSide::is_exact() const {
  return std::ranges::all_of(recordings, &ProfileSummary::exact);
}

std::size_t ProfileComparisonReport::shown(std::size_t limit) const {
  return limit == 0 ? comparison.rows.size() : std::min(limit, comparison.rows.size());
}

std::string_view change_word(const Change& change, std::string_view none) {
  if (!change.test) return "";
  if (!change.is_significant()) return none;
  return change.gained.value > 0 ? "more" : "less";
}

std::string profile_comparison_json(const ProfileComparisonReport& report, std::size_t limit,
                                    std::string_view version) {
  const ProfileComparison& all = report.comparison;
  Json rows = Json::array();
  for (std::size_t i = 0; i < report.shown(limit); ++i) {
    const RowChange& each = all.rows[i];
    const ProfileRow& row = each.row();
    Json modules = Json::array();
    for (const ProfileRow* side : {each.row_before, each.row_after})
      modules.push_back(side != nullptr ? json_text(side->module) : Json());
    Json json{{"modules", std::move(modules)},
              {"function", json_text(row.function)},
              {"signature", json_text(row.signature)},
              {"file", json_text(row.file)},
              {"line", row.line > 0 ? Json(row.line) : Json()},
              {"before", json_figures(each.before)},
              {"after", json_figures(each.after)}};
    add_change(json, each.count);
    json["share_gained"] = {{"value", json_number(each.share_gained)}, {"ci95", nullptr}};
    json["metrics"] = json_metric_changes(each.metrics);
    rows.push_back(std::move(json));
  }
  const auto& chosen = report.before.recordings.front().chosen;
  Json json{{"tacho", {{"version", version}, {"schema", 1}}},
            {"event", report.before.event().name},
            {"chosen", chosen ? Json(chosen->words) : Json()},
            {"sort", to_string(report.sort())},
            {"evidence", to_string(all.evidence)},
            {"order", to_string(all.order)},
            {"tests", all.tests},
            {"before", json_side(report.before, all.before)},
            {"after", json_side(report.after, all.after)}};
  add_change(json, all.count);
  json["rows"] = std::move(rows);
  return written(json, 2);
}

std::string profile_comparison_csv(const ProfileComparisonReport& report, std::size_t limit) {
  std::string csv =
      "module before,module after,function,file,line,samples before,samples after,count before,"
      "count after,count gained,count low,count high,share before,share after,share gained,"
      "share low,share high,changed,signature\n";
  for (std::size_t i = 0; i < report.shown(limit); ++i) {
    const RowChange& each = report.comparison.rows[i];
    const ProfileRow& row = each.row();
    csv += fmt::format("{},{},{},{},{},{},{}",
                       each.row_before != nullptr ? csv_field(each.row_before->module) : "",
                       each.row_after != nullptr ? csv_field(each.row_after->module) : "",
                       csv_field(row.function), csv_field(row.file),
                       row.line > 0 ? fmt::format("{}", row.line) : "", each.before.samples,
                       each.after.samples);
    const Estimated& gained = each.count.gained;
    for (const double value :
         {each.before.count.value, each.after.count.value, gained.value, gained.low, gained.high,
          each.before.share.value, each.after.share.value, each.share_gained})
      csv += ',' + csv_number(value);
    csv += fmt::format(",,,{},{}\n", change_word(each.count, "no"), csv_field(row.signature));
  }
  return csv;
}

}  // namespace tacho
