#include "profile/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_layout.hpp"
#include "profile/table_cells.hpp"
#include "report/figure.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr std::size_t kWidestRowName = 60;  // characters
constexpr std::size_t kRowsWithMetrics = 5;

const SampledEvent& chosen(const ProfileSummary& summary) {
  return summary.events[summary.event];
}

// Clocks are shown in milliseconds, other events as counts.
class Amounts {
 public:
  Amounts(const SampledEvent& event, const NumberStyle& style)
      : is_time_(event.clock), style_(style) {}

  std::string_view unit() const { return is_time_ ? " ms" : ""; }
  std::string text(double count) const {
    return is_time_ ? fixed(count / 1e6, 1, style_) : fixed(count, 0, style_);
  }
  std::string change(double count) const {
    std::string size = text(std::abs(count));
    if (size == text(0)) return size;
    return (count > 0 ? "+" : "-") + size;
  }

 private:
  bool is_time_;
  const NumberStyle& style_;
};

// A difference of shares, in percentage points.
std::string points(double share, const NumberStyle& style) {
  std::string size = fixed(100 * std::abs(share), 1, style);
  if (size == fixed(0, 1, style)) return size;
  return (share > 0 ? "+" : "-") + size;
}

const ProfileRow& shown_row(const ProfileComparisonReport& report, const RowChange& change) {
  return change.row_after ? report.after.rows[*change.row_after]
                          : report.before.rows[*change.row_before];
}

// The module; both modules if they differ.
std::string modules(const ProfileComparisonReport& report, const RowChange& change) {
  const std::string& now = shown_row(report, change).module;
  if (!change.row_before || report.before.rows[*change.row_before].module == now) return now;
  return fmt::format("{} → {}", report.before.rows[*change.row_before].module, now);
}

std::size_t shown_of(const ProfileComparisonReport& report, std::size_t limit) {
  return limit == 0 ? report.changes.size() : std::min(limit, report.changes.size());
}

std::string side_line(std::string_view what, const std::string& name, const ProfileSummary& side,
                      const Amounts& amounts, const NumberStyle& style) {
  return paragraph(
      fmt::format(" {:<9} ", what),
      printable(
          fmt::format("{}: {}; {} of {}, standing for {}{}", name, fmt::join(side.command, " "),
                      plural(chosen(side).count.samples, "sample", style), chosen(side).name,
                      amounts.text(static_cast<double>(chosen(side).count.sum)),
                      amounts.unit().empty() ? " events" : amounts.unit()),
          2000));
}

// A table of the metrics of the first rows.
std::string metrics_text(const ProfileComparisonReport& report, std::size_t shown,
                         const NumberStyle& style) {
  const auto figure = [&](const std::optional<double>& value, double ci95) {
    return figure_of({.name = {}, .unit = {}, .value = value, .ci95 = ci95, .reason = {}}, style);
  };
  std::vector<Cells> table{
      {"metric", "before", "95 %", "after", "95 %", "gained", "95 %", "function"}};
  for (std::size_t i = 0; i < std::min(shown, kRowsWithMetrics); ++i) {
    const RowChange& change = report.changes[i];
    const ProfileRow& row = shown_row(report, change);
    for (const MetricChange& each : change.metrics) {
      const Figure was = figure(each.before.value, each.before.ci95);
      const Figure is = figure(each.after.value, each.after.ci95);
      const Estimated& by = each.gained;
      const Figure gained = figure(by.value, std::max(by.value - by.low, by.high - by.value));
      table.push_back(
          {printable(each.after.name, 24), was.value, was.spread, is.value, is.spread,
           (by.value > 0 ? "+" : "") + gained.value, gained.spread,
           printable(row.function.empty() ? row.module : row.function, kWidestRowName)});
    }
  }
  return table.size() > 1 ? '\n' + aligned(table, "<>>>>>><", " ") : "";
}

std::string header_text(const ProfileComparisonReport& report, const Amounts& amounts,
                        const NumberStyle& style) {
  std::string text = side_line("before", report.before_name, report.before, amounts, style) +
                     side_line("after", report.after_name, report.after, amounts, style);
  if (report.before.cpu != report.after.cpu)
    text += paragraph(" machine   ", printable(fmt::format("{} before, {} after", report.before.cpu,
                                                           report.after.cpu)));
  const double before = static_cast<double>(chosen(report.before).count.sum);
  const double after = static_cast<double>(chosen(report.after).count.sum);
  std::string change = amounts.change(after - before);
  change += amounts.unit();
  if (before > 0) change += fmt::format(", {} % of before", fixed(100 * after / before, 1, style));
  change += " (sums over all samples: no interval)";
  return text + paragraph(" in all    ", change);
}

Cells change_cells(const ProfileComparisonReport& report, const RowChange& each,
                   const Amounts& amounts, const NumberStyle& style) {
  const ProfileRow& row = shown_row(report, each);
  const SortBy sort = report.before.sort;
  Cells cells{amounts.text(each.before.count.value),
              amounts.text(each.after.count.value),
              amounts.change(each.count_gained.value),
              fmt::format("{}…{}", amounts.change(each.count_gained.low),
                          amounts.change(each.count_gained.high)),
              percent(each.before.share.value, style),
              percent(each.after.share.value, style),
              points(each.share_gained.value, style),
              fmt::format("{}…{}", points(each.share_gained.low, style),
                          points(each.share_gained.high, style)),
              printable(modules(report, each), kWidestRowName)};
  if (sort != SortBy::module)
    cells.push_back(row.function.empty() ? "[no name]" : printable(row.function, kWidestRowName));
  if (sort == SortBy::line) cells.push_back(printable(location(row), kWidestRowName));
  return cells;
}

std::string changes_table(const ProfileComparisonReport& report, std::size_t shown,
                          const Amounts& amounts, const TextStyle& style) {
  const SortBy sort = report.before.sort;
  Cells head{fmt::format("before{}", amounts.unit()),
             fmt::format("after{}", amounts.unit()),
             fmt::format("gained{}", amounts.unit()),
             "95 %",
             "share before",
             "after",
             "gained",
             "95 %"};
  std::string sides(head.size(), '>');
  head.emplace_back("module");
  if (sort != SortBy::module) head.emplace_back("function");
  if (sort == SortBy::line) head.emplace_back("line");
  sides.resize(head.size(), '<');
  std::vector<Cells> table{head};
  for (std::size_t i = 0; i < shown; ++i)
    table.push_back(change_cells(report, report.changes[i], amounts, style.numbers));
  const auto heat = [&](std::size_t line) {
    if (line == 0 || line > shown) return 0.0;
    const RowChange& change = report.changes[line - 1];
    return std::max(change.before.share.value, change.after.share.value);
  };
  return coloured(aligned(table, sides, " "), heat, style);
}

Json json_metric_changes(const std::vector<MetricChange>& changes) {
  Json json = Json::object();
  for (const MetricChange& each : changes)
    json[each.after.name] = {
        {"before",
         {{"value", json_number(each.before.value)}, {"ci95", json_number(each.before.ci95)}}},
        {"after",
         {{"value", json_number(each.after.value)}, {"ci95", json_number(each.after.ci95)}}},
        {"gained", json_estimated(each.gained)},
        {"unit", each.after.unit}};
  return json;
}

Json json_row_side(const RowSide& side) {
  return {{"samples", side.samples},
          {"count", json_estimated(side.count)},
          {"share", json_estimated(side.share)}};
}

Json json_profile(const std::string& name, const ProfileSummary& summary) {
  return {{"file", name},
          {"command", json_list(summary.command)},
          {"machine",
           {{"host", json_text(summary.host)},
            {"kernel", json_text(summary.kernel)},
            {"cpu", json_text(summary.cpu)}}},
          {"samples", chosen(summary).count.samples},
          {"count", chosen(summary).count.sum},
          {"exact", summary.exact},
          {"warnings", json_list(summary.warnings)}};
}

}  // namespace

std::string profile_comparison_text(const ProfileComparisonReport& report, std::size_t limit,
                                    const TextStyle& style) {
  const NumberStyle& numbers = style.numbers;
  const Amounts amounts(chosen(report.before), numbers);
  const std::size_t shown = shown_of(report, limit);
  std::string text =
      header_text(report, amounts, numbers) + '\n' + changes_table(report, shown, amounts, style);
  if (shown < report.changes.size())
    text += fmt::format(" … {} more (--limit 0 shows all)\n",
                        plural(report.changes.size() - shown, "row", numbers));
  const std::string_view note =
      report.before.exact && report.after.exact
          ? "Each event was a sample: the figures are exact for these two runs. They do not show "
            "how much two runs of one program differ."
          : "Intervals cover sampling alone, for these two runs. They do not show how much two "
            "runs "
            "of one program differ.";
  return text + metrics_text(report, shown, numbers) + '\n' + paragraph(" ", note);
}

std::string profile_comparison_json(const ProfileComparisonReport& report, std::size_t limit,
                                    std::string_view version) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < shown_of(report, limit); ++i) {
    const RowChange& each = report.changes[i];
    const ProfileRow& row = shown_row(report, each);
    Json modules = Json::array();
    for (const auto& [summary, at] :
         {std::pair(&report.before, each.row_before), std::pair(&report.after, each.row_after)})
      modules.push_back(at ? json_text(summary->rows[*at].module) : Json());
    rows.push_back({{"modules", std::move(modules)},
                    {"function", json_text(row.function)},
                    {"signature", json_text(row.signature)},
                    {"file", json_text(row.file)},
                    {"line", row.line > 0 ? Json(row.line) : Json()},
                    {"before", json_row_side(each.before)},
                    {"after", json_row_side(each.after)},
                    {"count_gained", json_estimated(each.count_gained)},
                    {"share_gained", json_estimated(each.share_gained)},
                    {"metrics", json_metric_changes(each.metrics)}});
  }
  return written({{"tacho", {{"version", version}, {"schema", 1}}},
                  {"event", chosen(report.before).name},
                  {"sort", to_string(report.before.sort)},
                  {"before", json_profile(report.before_name, report.before)},
                  {"after", json_profile(report.after_name, report.after)},
                  {"rows", std::move(rows)}},
                 2);
}

std::string profile_comparison_csv(const ProfileComparisonReport& report, std::size_t limit) {
  std::string csv =
      "module before,module after,function,file,line,samples before,samples after,count before,"
      "count after,count gained,count low,count high,share before,share after,share gained,"
      "share low,share high\n";
  for (std::size_t i = 0; i < shown_of(report, limit); ++i) {
    const RowChange& each = report.changes[i];
    const ProfileRow& row = shown_row(report, each);
    csv += fmt::format(
        "{},{},{},{},{},{},{}",
        each.row_before ? csv_field(report.before.rows[*each.row_before].module) : "",
        each.row_after ? csv_field(report.after.rows[*each.row_after].module) : "",
        csv_field(row.signature), csv_field(row.file),
        row.line > 0 ? fmt::format("{}", row.line) : "", each.before.samples, each.after.samples);
    for (const auto side : {&RowSide::count, &RowSide::share}) {
      const Estimated& gained = side == &RowSide::count ? each.count_gained : each.share_gained;
      for (const double value : {(each.before.*side).value, (each.after.*side).value, gained.value,
                                 gained.low, gained.high})
        csv += ',' + csv_number(value);
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace tacho
