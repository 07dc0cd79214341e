// Regions as a table for people.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/layout.hpp"
#include "base/number.hpp"
#include "tacho/report.hpp"

namespace tacho::inline v0 {
namespace {

constexpr std::string_view kSides = "<><>>>>>";

const Cells kHead = {"region", "executions", "", "total", "mean", "median", "99 %", "minimum"};

std::string total(const Quantity& q, double scale, const NumberStyle& style) {
  std::string value = brief(q.total * scale, style);
  if (q.status != CountStatus::estimated) return value;
  if (!q.has_interval) return "~" + value;
  return "~" + value + " ± " + brief(q.half_width95 * scale, style);
}

Cells figures(const Quantity& q, const std::string& label, double scale, const NumberStyle& style) {
  Cells row(kHead.size());
  row[2] = label;
  if (q.status == CountStatus::unavailable) {
    row[3] = "-";
    return row;
  }
  row[3] = total(q, scale, style);
  if (q.executions == 0) return row;
  const std::array values = {q.mean, q.median, q.p99, q.minimum};
  for (std::size_t i = 0; i < values.size(); ++i) row[4 + i] = brief(values[i] * scale, style);
  return row;
}

std::string label_of(const Quantity& q) {
  return q.unit.empty() ? q.name : q.name + " " + q.unit;
}

void add_rows(std::vector<Cells>& rows, const RegionFigures& region, const TickClock& clock,
              const NumberStyle& style) {
  const std::size_t first = rows.size();
  constexpr double kNanoseconds = 1e9;
  for (const Quantity& quantity : region.quantities) {
    rows.push_back(figures(quantity, label_of(quantity), 1, style));
    // What the ticks are in time.
    if (&quantity == region.quantities.data())
      rows.push_back(figures(quantity, "time ns", kNanoseconds / clock.hz, style));
  }
  rows[first][0] = escaped(region.name) + (region.too_short ? " (!)" : "");
  rows[first][1] = whole(region.executions, style);
}

// What the figures alone don't tell.
std::vector<std::string> remarks(const RegionReport& report, const NumberStyle& style) {
  std::vector<std::string> lines;
  for (const RegionFigures& region : report.regions) {
    const std::string name = "'" + escaped(region.name) + "'";
    if (region.too_short)
      lines.push_back(
          fmt::format("(!) {} takes less than its measuring, or that of the regions inside: put "
                      "more work into a region; measuring one costs {} ticks",
                      name, brief(region.quantities.front().cost, style)));
    if (region.recursions > 0)
      lines.push_back(fmt::format("{}: {} inside of itself, measured with the outermost", name,
                                  plural(region.recursions, "execution", style)));
    if (region.unfinished > 0)
      lines.push_back(fmt::format("{}: {} not ended, not measured", name,
                                  plural(region.unfinished, "execution", style)));
    for (const Quantity& quantity : region.quantities)
      if (quantity.status == CountStatus::unavailable)
        lines.push_back(
            fmt::format("{}: {} not counted: {}{}", name, quantity.name, quantity.error.what,
                        quantity.error.remedy.empty() ? "" : "; " + quantity.error.remedy));
  }
  if (report.unmatched > 0)
    lines.push_back(plural(report.unmatched, "end", style) + " of regions that had not begun");
  if (report.too_deep > 0)
    lines.push_back(plural(report.too_deep, "execution", style) +
                    " nested too deep to be measured");
  if (report.no_memory > 0)
    lines.push_back(plural(report.no_memory, "execution", style) + " not measured: no memory");
  return lines;
}

}  // namespace

std::string to_text(const RegionReport& report) {
  const NumberStyle style;
  std::string text = fmt::format(" regions of {} (process {}); {}\n", escaped(report.program),
                                 report.pid, to_string(report.clock));
  if (!report.explanation.empty()) text += " counted by " + report.explanation + "\n";
  std::vector<Cells> rows = {kHead};
  for (const RegionFigures& region : report.regions) add_rows(rows, region, report.clock, style);
  text += "\n" + aligned(rows, kSides, " ");
  const std::vector<std::string> lines = remarks(report, style);
  if (!lines.empty()) text += "\n";
  for (const std::string& line : lines) text += " " + line + "\n";
  return text;
}

}  // namespace tacho::inline v0
