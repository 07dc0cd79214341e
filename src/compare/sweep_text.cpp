// The report of a sweep.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/safe_text.hpp"
#include "base/text_layout.hpp"
#include "compare/change_text.hpp"
#include "compare/report.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongestBar = 40;

// A median of the primary metric.
struct Point {
  std::string value;  // of the parameter
  double median = 0;
};

std::vector<Point> points_of(const PairedRuns& runs) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < runs.members.size(); ++i) {
    std::vector<double> values;
    for (const auto& value : runs.series(i, runs.primary))
      if (value) values.push_back(*value);
    if (!values.empty())
      points.push_back({runs.sweep->texts[runs.members[i].command], median(values)});
  }
  return points;
}

std::string interval(const Growth& growth, const NumberStyle& style) {
  if (!std::isfinite(growth.low) || !std::isfinite(growth.high))
    return "an interval needs more runs, or 5 values";
  if (growth.low == growth.high) return "exactly";
  return fmt::format("{} to {}", fixed(growth.low, 2, style), fixed(growth.high, 2, style));
}

}  // namespace

std::string sweep_text(const CompareReport& report, const NumberStyle& style) {
  const PairedRuns& runs = report.runs;
  const std::string parameter = printable(runs.sweep->name);
  std::string text;
  std::vector<Cells> rows;
  for (const MetricGrowth& each : report.growth) {
    const std::string name = printable(runs.metrics[each.metric].name);
    if (each.metric == runs.primary)
      text += fmt::format("Growth of {} with {}: {}^{} ({}).\n", name, parameter, parameter,
                          fixed(each.growth.exponent, 2, style), interval(each.growth, style));
    rows.push_back({name, fmt::format("{}^{}", parameter, fixed(each.growth.exponent, 2, style)),
                    interval(each.growth, style)});
  }
  const auto points = points_of(runs);
  double largest = 0;
  for (const Point& point : points) largest = std::max(largest, point.median);
  std::vector<Cells> bars = {{parameter, printable(runs.metrics[runs.primary].name), ""}};
  for (const Point& point : points) {
    const double part = largest > 0 ? point.median / largest : 0;
    const auto length = static_cast<std::size_t>(std::lround(part * kLongestBar));
    bars.push_back({printable(point.value),
                    amount(point.median, point.median, runs.metrics[runs.primary].unit, style),
                    std::string(std::max<std::size_t>(length, 1), '#')});
  }
  text += "\n" + aligned(bars, ">><", "  ") + "\n" + aligned(rows, "<<<", "  ") + "\n";
  text += paragraph("", fmt::format("{} of each value{}.", plural(runs.blocks, "run", style),
                                    runs.blocks > 1 ? ", in random order" : ""));
  for (const std::string& warning : report.warnings)
    text += paragraph("warning: ", printable(warning, 1'000));
  return text;
}

}  // namespace tacho
