// `tacho merge --json`: schema 1.
#include "merge/report.hpp"
#include "report/absence.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

// The keys that all figures have.
void add_spread(Json& to, const Spread& spread, const Merged& merged) {
  const bool any = spread.files > 0;
  const auto number = [&](double value) { return any ? json_number(value) : Json(); };
  const auto file = [&](const OfFile& of) {
    return any ? Json(merged.files[of.file].path) : Json();
  };
  to["files"] = spread.files;
  to["mean"] = number(spread.mean);
  to["median"] = number(spread.median);
  to["minimum"] = number(spread.minimum.value);
  to["minimum_file"] = file(spread.minimum);
  to["maximum"] = number(spread.maximum.value);
  to["maximum_file"] = file(spread.maximum);
  Json outliers;  // null: too few files
  if (spread.outliers) {
    outliers = Json::array();
    for (const OfFile& each : *spread.outliers)
      outliers.push_back(
          {{"file", merged.files[each.file].path}, {"value", json_number(each.value)}});
  }
  to["outliers"] = std::move(outliers);
}

Json json_event(const MergedEvent& event, const Merged& merged) {
  const EventSummary& sum = event.sum;
  const auto ends = ends_of(sum);
  Json json{{"name", sum.name},
            {"status", to_string(sum.status)},
            {"estimate", json_number(estimate_of(sum))},
            {"ci95", json_number(sum.estimate ? sum.ci95 : std::nullopt)},
            {"low", json_number(low_of(ends))},
            {"high", json_number(high_of(ends))},
            {"unit", json_text(sum.unit)},
            {"reason", is_absent(sum) ? Json(reason_of(sum)) : json_text(sum.reason)}};
  if (!sum.pmu.empty()) json["pmu"] = sum.pmu;
  if (!sum.part_of.empty()) json["part_of"] = sum.part_of;
  add_spread(json, event.spread, merged);
  return json;
}

Json json_metric(const MergedMetric& metric, const Merged& merged) {
  const MetricSummary& ratio = metric.ratio;
  const auto ends = ends95(ratio);
  Json json{{"name", ratio.name},
            {"value", json_number(ratio.value)},
            {"ci95", json_number(ratio.ci95)},
            {"low", json_number(low_of(ends))},
            {"high", json_number(high_of(ends))},
            {"unit", ratio.unit},
            {"reason", json_text(ratio.reason)}};
  add_spread(json, metric.spread, merged);
  return json;
}

}  // namespace

std::string to_json(const Merged& merged) {
  Json files = Json::array();
  for (const StatFile& file : merged.files) files.push_back(file.path);
  Json left_out = Json::array();
  for (const LeftOut& each : merged.left_out)
    left_out.push_back({{"file", each.file}, {"reason", each.reason}});
  Json events = Json::array();
  for (const MergedEvent& event : merged.events) events.push_back(json_event(event, merged));
  Json metrics = Json::array();
  for (const MergedMetric& metric : merged.metrics) metrics.push_back(json_metric(metric, merged));
  Json run = Json::array();
  for (const MergedRunFigure& figure : merged.run) {
    Json json{{"name", figure.name}, {"sum", json_number(figure.sum)}};
    add_spread(json, figure.spread, merged);
    run.push_back(std::move(json));
  }
  Json json;
  json["tacho"] = {{"version", merged.version}, {"schema", 1}};
  json["merged"] = std::move(files);
  json["left_out"] = std::move(left_out);
  json["label"] = merged.files.front().label;
  json["pmu"] = {{"kind", to_string(merged.files.front().pmu_kind)},
                 {"name", merged.files.front().pmu_name}};
  json["events"] = std::move(events);
  json["metrics"] = std::move(metrics);
  json["run"] = std::move(run);
  json["warnings"] = json_list(merged.warnings);
  return written(json, 2);
}

}  // namespace tacho
