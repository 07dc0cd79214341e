// The lines of -I. Text has columns of a fixed width, because later lines are not known yet.
#include "stat/interval.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "report/absence.hpp"
#include "report/figure.hpp"
#include "report/schema.hpp"
#include "stat/part_labels.hpp"
#include "stat/rate_of.hpp"

namespace tacho {
namespace {

constexpr std::size_t kTimeWidth = 12;
constexpr std::size_t kValueWidth = 13;
constexpr std::size_t kUnitWidth = 14;
constexpr std::size_t kNameWidth = 22;
constexpr std::size_t kLongestPart = 24;
// Of a column: a count of ten digits, and an estimate with its interval.
constexpr std::size_t kCountWidth = 13;
constexpr std::size_t kEstimateWidth = 20;
constexpr std::string_view kTimeTitle = "#   time (s)";

// Whether the event takes turns and was not counted in this interval. It may be in the next one.
bool is_passing(const EventSummary& event, const Measurement& slice) {
  const auto counted = std::ranges::find(slice.events, event.name, &CountedEvent::name);
  return is_absent(event) && counted != slice.events.end() &&
         (counted->duty == Duty::turned || counted->duty == Duty::always);
}

// Whether the metric has no value in this interval: an event of it was not counted in it, or the
// event that it divides by did not happen.
bool is_passing(const MetricSummary& metric, const Summary& summary, const Measurement& slice) {
  if (metric.value && std::isfinite(*metric.value)) return false;
  return metric.reason.starts_with("division by zero") ||
         std::ranges::any_of(summary.events, [&](const EventSummary& event) {
           return is_passing(event, slice) && metric.reason.contains(event.name);
         });
}

// The figures of a summary that have a place in text: the others are never available.
struct Cell {
  std::string name;
  bool is_metric = false;
  Figure figure;       // without a value: not in this interval
  std::string rate{};  // beside a count
  bool is_estimate = false;
};

std::vector<Cell> cells_of(const Summary& summary, const StatReport& report,
                           const NumberStyle& style) {
  std::vector<Cell> cells;
  for (const EventSummary& event : summary.events) {
    const bool passing = is_passing(event, report.measurement);
    if (is_absent(event) && !passing) continue;
    Cell cell{.name = (event.part_of.empty() ? "" : "  ") + event.name,
              .figure = passing ? Figure() : figure_of(event, false, style),
              .is_estimate = event.status == Status::estimated};
    if (!cell.figure.value.empty()) cell.rate = rate_of(event, report, style);
    cells.push_back(std::move(cell));
  }
  for (const MetricSummary& metric : summary.metrics) {
    Cell cell{.name = metric.name,
              .is_metric = true,
              .figure = figure_of(metric, style),
              .is_estimate = metric.ci95 && *metric.ci95 > 0};
    if (!cell.figure.value.empty() || is_passing(metric, summary, report.measurement))
      cells.push_back(std::move(cell));
  }
  return cells;
}

// Each part with its label; without parts the whole, without one.
void for_each_part(const StatReport& report,
                   const std::function<void(std::string_view, const Summary&)>& use) {
  if (report.parts.empty()) use({}, report.summary);
  for (const StatReport::Part& part : report.parts) use(part.label, part.summary);
}

std::string in_column(const Cell& cell) {
  if (cell.figure.value.empty()) return "-";
  return cell.figure.spread.empty() ? cell.figure.value
                                    : cell.figure.value + ' ' + cell.figure.spread;
}

std::string title_of(const Cell& cell) {
  return cell.figure.unit.empty() ? cell.name : cell.name + " (" + cell.figure.unit + ')';
}

std::string label_text(std::string_view label, const IntervalLayout& layout) {
  if (layout.label_width == 0) return {};
  return "  " + pad_right(label, layout.label_width);
}

// A line for each figure.
std::string long_lines(std::string_view begin, const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    const Figure& figure = cell.figure;
    const std::string zone = figure.unit + (figure.unit.empty() ? "" : " ") + figure.spread;
    std::string line = std::string(begin) + ' ' +
                       pad_left(figure.value.empty() ? "-" : figure.value, kValueWidth) + ' ' +
                       pad_right(zone, kUnitWidth) + ' ';
    line += cell.rate.empty() ? cell.name : pad_right(cell.name, kNameWidth) + ' ' + cell.rate;
    text += line + '\n';
  }
  return text;
}

std::string one_line(std::string_view begin, const std::vector<Cell>& cells,
                     const IntervalLayout& layout) {
  std::string line(begin);
  for (const IntervalLayout::Column& column : layout.columns) {
    const auto cell = std::ranges::find_if(cells, [&](const Cell& each) {
      return each.name == column.name && each.is_metric == column.is_metric;
    });
    line += "  " + pad_left(cell == cells.end() ? "-" : in_column(*cell), column.width);
  }
  return line + '\n';
}

// Lines that begin with "# ", so that a reader of the figures leaves them out.
std::string comment(std::string_view text, std::size_t columns) {
  std::string lines;
  const std::string broken = paragraph("", text, columns - 2);
  for (std::size_t begin = 0; begin < broken.size();) {
    const std::size_t end = broken.find('\n', begin);
    lines += "# " + broken.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return lines;
}

}  // namespace

IntervalLayout layout_of(const StatReport& first, const NumberStyle& style, std::size_t columns) {
  IntervalLayout layout;
  for (const std::string& label : part_labels(first, kLongestPart))
    layout.label_width = std::max(layout.label_width, display_width(label));
  std::size_t width = kTimeWidth + (layout.label_width == 0 ? 0 : 2 + layout.label_width);
  for (const Cell& cell : cells_of(first.summary, first, style)) {
    const std::size_t least = cell.is_estimate ? kEstimateWidth : kCountWidth;
    layout.columns.push_back(
        {cell.name, cell.is_metric, std::max(least, display_width(title_of(cell)))});
    width += 2 + layout.columns.back().width;
  }
  if (width > columns) layout.columns.clear();
  return layout;
}

std::size_t lasting_absences(const StatReport& report) {
  return static_cast<std::size_t>(
      std::ranges::count_if(report.summary.events, [&](const EventSummary& event) {
        return is_absent(event) && !is_passing(event, report.measurement);
      }));
}

std::string absences_text(const StatReport& report, std::size_t columns) {
  std::string text;
  Summary lasting = report.summary;
  std::erase_if(lasting.events,
                [&](const EventSummary& event) { return is_passing(event, report.measurement); });
  std::erase_if(lasting.metrics, [&](const MetricSummary& metric) {
    return is_passing(metric, report.summary, report.measurement);
  });
  for (const std::string& line : brief_absences(absences(lasting)))
    text += comment("not available: " + line, columns);
  return text;
}

std::string interval_start_text(const StatReport& first, const IntervalLayout& layout,
                                std::size_t columns) {
  std::string text;
  const Machine& machine = first.measurement.machine;
  if (machine.simulated())
    text = fmt::format("# simulated, in simulated time ({})\n", printable(machine.pmu_name));
  text += absences_text(first, columns);
  std::string titles = std::string(kTimeTitle) + label_text("", layout);
  if (layout.columns.empty())
    titles += ' ' + pad_left("count", kValueWidth) + ' ' + pad_right("95 %", kUnitWidth) + " event";
  const std::vector<Cell> cells = cells_of(first.summary, first, {});
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    titles += "  " + pad_left(title_of(cells[i]), layout.columns[i].width);
  return text + titles + '\n';
}

std::string interval_text(double time_s, const StatReport& report, const IntervalLayout& layout,
                          const NumberStyle& style) {
  const std::string time = pad_left(fixed(time_s, 3, style), kTimeWidth);
  const std::vector<std::string> labels = part_labels(report, kLongestPart);
  std::string text;
  std::size_t part = 0;
  for_each_part(report, [&](std::string_view, const Summary& summary) {
    const std::string begin = time + label_text(labels.empty() ? "" : labels[part++], layout);
    const std::vector<Cell> cells = cells_of(summary, report, style);
    text += layout.columns.empty() ? long_lines(begin, cells) : one_line(begin, cells, layout);
  });
  return text;
}

std::string interval_json(double time_s, const StatReport& report) {
  Json parts = Json::array();
  for (const StatReport::Part& part : report.parts)
    parts.push_back({{"label", part.label},
                     {"events", json_events(part.summary)},
                     {"metrics", json_metrics(part.summary)}});
  return written({{"interval", json_number(time_s)},
                  {"events", json_events(report.summary)},
                  {"metrics", json_metrics(report.summary)},
                  {"warnings", json_list(report.summary.warnings)},
                  {"parts", std::move(parts)}});
}

std::string interval_start_csv() {
  return "time_s,kind,name,status,count,estimate,ci95,unit,share,periods,reason,low,high,part\n";
}

std::string interval_csv(double time_s, const StatReport& report) {
  const std::string time = csv_number(time_s);
  std::string text;
  for_each_part(report, [&](std::string_view label, const Summary& summary) {
    for (const EventSummary& event : summary.events) {
      const bool absent = is_absent(event);
      const auto number = [&](const std::optional<double>& value) {
        return absent ? std::string() : csv_number(value);
      };
      const auto ends = ends_of(event);
      text += fmt::format("{},event,{},{},{},{},{},{},{},{},{},{},{},{}\n", time,
                          csv_field(event.name), to_string(event.status), number(event.count),
                          number(estimate_of(event)), number(event.ci95), csv_field(event.unit),
                          number(event.share), number(static_cast<double>(event.periods)),
                          csv_field(absent ? reason_of(event) : event.reason), number(low_of(ends)),
                          number(high_of(ends)), csv_field(label));
    }
    for (const MetricSummary& metric : summary.metrics) {
      const auto ends = ends95(metric);
      text += fmt::format("{},metric,{},,,{},{},{},,,{},{},{},{}\n", time, csv_field(metric.name),
                          csv_number(metric.value),
                          csv_number(metric.value ? metric.ci95 : std::nullopt),
                          csv_field(metric.unit), csv_field(metric.reason),
                          csv_number(low_of(ends)), csv_number(high_of(ends)), csv_field(label));
    }
  });
  return text;
}

}  // namespace tacho
