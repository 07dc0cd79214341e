// to_text: a report as a table for people.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "caliper/estimated_total.hpp"
#include "caliper/note_rates.hpp"
#include "caliper/region_remarks.hpp"
#include "caliper/report_file.hpp"
#include "tacho/report.hpp"

namespace tacho {
namespace {

constexpr std::string_view kSides = "<><>>>>>";

// Not a global Cells: reports are made after the destructors of global objects.
constexpr std::array kHead = {"region", "executions", "",     "total",
                              "mean",   "median",     "99 %", "minimum"};

// A figure of a quantity; `half_width` is that of its interval, if it has one.
std::string figure(const Quantity& q, double value, std::optional<double> half_width, double scale,
                   const NumberStyle& style) {
  if (q.status != CountStatus::estimated) return brief(value * scale, style);
  if (half_width) *half_width *= scale;
  return caliper::estimated_total(value * scale, q.has_interval ? half_width : std::nullopt, style);
}

// `executions` are those of the region.
Cells figures(const Quantity& q, const std::string& label, std::uint64_t executions, double scale,
              const NumberStyle& style) {
  Cells row(kHead.size());
  row[2] = label;
  if (q.status == CountStatus::unavailable) {
    row[3] = "-";
    return row;
  }
  row[3] = figure(q, q.total, q.half_width95, scale, style);
  if (q.executions == 0 && q.status != CountStatus::estimated) return row;
  row[4] = figure(q, q.mean, q.half_width95 / static_cast<double>(executions), scale, style);
  if (q.executions == 0) return row;
  const std::array values = {q.median, q.p99, q.minimum};
  for (std::size_t i = 0; i < values.size(); ++i)
    row[5 + i] = figure(q, values[i], std::nullopt, scale, style);
  return row;
}

// The name, with its middle left out if it is long: the machine formats have all of it.
std::string label_of(const RegionFigures& region) {
  return caliper::region_label(escaped(region.name));
}

std::string label_of(const Quantity& q) {
  return caliper::region_label(escaped(q.name)) + (q.unit.empty() ? "" : " " + q.unit);
}

void add_rows(std::vector<Cells>& rows, const RegionFigures& region, const TickClock& clock,
              const NumberStyle& style) {
  const std::size_t first = rows.size();
  constexpr double kNanoseconds = 1e9;
  for (const Quantity& quantity : region.quantities) {
    rows.push_back(figures(quantity, label_of(quantity), region.executions, 1, style));
    // The ticks, converted to time.
    if (&quantity == region.quantities.data())
      rows.push_back(
          figures(quantity, "time ns", region.executions, kNanoseconds / clock.hz, style));
  }
  std::vector<caliper::QuantityTotal> totals;
  for (const Quantity& q : region.quantities)
    totals.push_back(
        {.name = label_of(q),
         .total = q.status == CountStatus::unavailable ? std::nullopt : std::optional(q.total),
         .noted = caliper::is_note(totals.size()),
         .in_all = q.executions == region.executions});
  for (const caliper::NoteRate& rate : caliper::note_rates(totals, clock.hz, style)) {
    rows.emplace_back(kHead.size());
    rows.back()[2] = rate.label;
    rows.back()[4] = rate.value;
  }
  rows[first][0] = label_of(region) + (region.too_short ? " (!)" : "");
  rows[first][1] = whole(region.executions, style);
}

// The costs of measuring in the quantities of which an execution takes less.
std::string too_high_costs(const RegionFigures& region, const NumberStyle& style) {
  std::string costs;
  for (const Quantity& q : region.quantities) {
    const bool is_time = &q == region.quantities.data() || q.unit == "ns";
    if (!is_time || q.executions == 0 || q.median >= q.cost) continue;
    costs += fmt::format("{}{} {}", costs.empty() ? "" : ", ", brief(q.cost, style),
                         q.unit.empty() ? q.name : q.unit + " of " + q.name);
  }
  return costs;
}

std::vector<std::string> remarks(const caliper::ProcessReport& whole, const NumberStyle& style) {
  const RegionReport& report = whole.figures;
  std::vector<caliper::RemarkedRegion> regions;
  for (std::size_t i = 0; i < report.regions.size(); ++i) {
    const RegionFigures& region = report.regions[i];
    regions.push_back({.label = label_of(region),
                       .too_short = region.too_short,
                       .costs = too_high_costs(region, style),
                       .recursions = region.recursions,
                       .unfinished = region.unfinished,
                       .left_open_by = escaped(whole.more[i].left_open_by),
                       .not_counted = {}});
    for (const Quantity& quantity : region.quantities)
      if (quantity.status == CountStatus::unavailable)
        regions.back().not_counted.push_back(
            caliper::not_counted(quantity.name, quantity.error.what, quantity.error.remedy));
  }
  std::vector<std::string> lines = caliper::remarks_on(regions, style);
  const auto& switched = whole.switched;
  if (switched && switched->on.on_s < switched->on.of_s)
    lines.push_back(caliper::on_remark(switched->on.on_s, switched->on.of_s));
  for (std::string& line :
       caliper::remarks_on({.unmatched = report.unmatched,
                            .perhaps_unmatched = switched ? switched->perhaps_unmatched : 0,
                            .too_deep = report.too_deep,
                            .no_memory = report.no_memory},
                           style))
    lines.push_back(std::move(line));
  if (whole.without_path > 0) lines.push_back(caliper::no_path_left(whole.without_path, style));
  return lines;
}

}  // namespace

std::string caliper::to_text(const ProcessReport& whole) {
  const NumberStyle style;
  const RegionReport& report = whole.figures;
  std::string text =
      fmt::format(" regions of {} ({}process {}); {}\n", escaped(report.program),
                  whole.place.rank.empty()
                      ? ""
                      : fmt::format("rank {} on {}, ", whole.place.rank, escaped(whole.place.host)),
                  report.pid, caliper::describe(report.clock));
  if (!report.explanation.empty()) text += " counted by " + report.explanation + "\n";
  std::vector<Cells> rows = {Cells(kHead.begin(), kHead.end())};
  for (const RegionFigures& region : report.regions) add_rows(rows, region, report.clock, style);
  text += "\n" + aligned(rows, kSides, " ");
  std::vector<caliper::RegionPath> paths = whole.paths;
  for (caliper::RegionPath& path : paths) path.name = caliper::region_label(escaped(path.name));
  const std::string tree = caliper::path_table(paths, report.clock.hz, " ", style);
  if (!tree.empty()) text += "\n" + tree;
  const std::vector<std::string> lines = remarks(whole, style);
  if (!lines.empty()) text += "\n";
  for (const std::string& line : lines) text += " " + line + "\n";
  return text;
}

std::string v0::to_text(const RegionReport& report) {
  // An empty report has a reason.
  caliper::ProcessReport whole = caliper::only(report);
  if (report.regions.empty()) whole.switched = {.on = caliper::on_time()};
  return caliper::to_text(whole);
}

}  // namespace tacho
