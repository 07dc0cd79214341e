// `tacho merge --csv`: one row for each fact. The column `kind` says which:
//   event, metric, run   a figure over all files: `value` is the sum, or the ratio of sums;
//   outlier              `name` is the figure, `value` that of the file;
//   left_out             `file` could not be used, for the reason;
//   warning              its text is in `reason`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "merge/report.hpp"
#include "report/absence.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr std::string_view kColumns =
    "kind,name,status,unit,files,value,ci95,low,high,mean,median,minimum,minimum_file,maximum,"
    "maximum_file,file,reason\n";

struct MergedRow {
  std::string_view kind = {}, name = {}, status = {}, unit = {};
  std::optional<double> value = {}, ci95 = {};
  std::optional<IntervalEnds> ends = {};
  const Spread* spread = nullptr;
  std::string_view file = {};
  std::string reason = {};
};

std::string row_text(const MergedRow& row, const Merged& merged) {
  const bool any = row.spread != nullptr && row.spread->files > 0;
  const Spread spread = row.spread == nullptr ? Spread() : *row.spread;
  const auto number = [&](double value) { return any ? csv_number(value) : std::string(); };
  const auto file = [&](const OfFile& of) {
    return any ? csv_field(merged.files[of.file].path) : std::string();
  };
  const std::vector<std::string> cells = {
      csv_field(row.kind),
      csv_field(row.name),
      csv_field(row.status),
      csv_field(row.unit),
      row.spread == nullptr ? "" : csv_number(static_cast<double>(spread.files)),
      csv_number(row.value),
      csv_number(row.value ? row.ci95 : std::nullopt),
      csv_number(low_of(row.ends)),
      csv_number(high_of(row.ends)),
      number(spread.mean),
      number(spread.median),
      number(spread.minimum.value),
      file(spread.minimum),
      number(spread.maximum.value),
      file(spread.maximum),
      csv_field(row.file),
      csv_field(row.reason)};
  return fmt::format("{}\n", fmt::join(cells, ","));
}

// The row of a figure, and one for each of its outliers.
std::string rows_text(const MergedRow& row, const Merged& merged) {
  std::string text = row_text(row, merged);
  if (row.spread->outliers)
    for (const OfFile& each : *row.spread->outliers)
      text += row_text({.kind = "outlier",
                        .name = row.name,
                        .unit = row.unit,
                        .value = each.value,
                        .file = merged.files[each.file].path},
                       merged);
  return text;
}

}  // namespace

std::string to_csv(const Merged& merged) {
  std::string csv(kColumns);
  for (const MergedEvent& event : merged.events) {
    const EventSummary& sum = event.sum;
    csv += rows_text({.kind = "event",
                      .name = sum.name,
                      .status = to_string(sum.status),
                      .unit = sum.unit,
                      .value = estimate_of(sum),
                      .ci95 = sum.ci95,
                      .ends = ends_of(sum),
                      .spread = &event.spread,
                      .reason = is_absent(sum) ? reason_of(sum) : sum.reason},
                     merged);
  }
  for (const MergedMetric& metric : merged.metrics)
    csv += rows_text({.kind = "metric",
                      .name = metric.ratio.name,
                      .unit = metric.ratio.unit,
                      .value = metric.ratio.value,
                      .ci95 = metric.ratio.ci95,
                      .ends = ends95(metric.ratio),
                      .spread = &metric.spread,
                      .reason = metric.ratio.reason},
                     merged);
  for (const MergedRunFigure& figure : merged.run)
    csv += rows_text({.kind = "run",
                      .name = figure.name,
                      .unit = figure.name.ends_with("_s") ? "s" : "bytes",
                      .value = figure.sum,
                      .spread = &figure.spread},
                     merged);
  for (const LeftOut& each : merged.left_out)
    csv += row_text({.kind = "left_out", .file = each.file, .reason = each.reason}, merged);
  for (const std::string& warning : merged.warnings)
    csv += row_text({.kind = "warning", .reason = warning}, merged);
  return csv;
}

}  // namespace tacho
