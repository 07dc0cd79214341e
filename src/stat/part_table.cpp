// Lays the table of threads or CPUs out in blocks that fit a line.
#include "stat/part_table.hpp"

#include <algorithm>
#include <iterator>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "report/absence.hpp"
#include "report/figure.hpp"
#include "stat/part_labels.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongestLabel = 32;

struct Column {
  std::string title;
  std::vector<std::string> cells;  // one for each part
  std::size_t width = 0;

  Column(std::string name, std::size_t parts) : title(std::move(name)), cells(parts, "-") {}
};

void put(std::vector<Column>& columns, const std::string& title, std::size_t part,
         std::size_t parts, const std::string& figure, const std::string& spread) {
  auto column = std::ranges::find(columns, title, &Column::title);
  if (column == columns.end()) column = columns.insert(column, Column(title, parts));
  column->cells[part] = spread.empty() ? figure : figure + ' ' + spread;
}

std::vector<Column> columns_of(std::span<const StatReport::Part> parts, bool repeated,
                               const NumberStyle& style) {
  std::vector<Column> events;
  std::vector<Column> metrics;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const EventSummary& event : parts[i].summary.events) {
      if (is_absent(event)) continue;
      const Figure figure = figure_of(event, repeated, style);
      if (figure.value.empty()) continue;
      const std::string unit = figure.unit.empty() ? "" : " (" + figure.unit + ")";
      put(events, event.name + unit, i, parts.size(), figure.value, figure.spread);
    }
    for (const MetricSummary& metric : parts[i].summary.metrics) {
      const Figure figure = figure_of(metric, style);
      if (figure.value.empty()) continue;
      const std::string unit = figure.unit.empty() ? "" : ' ' + figure.unit;
      put(metrics, metric.name, i, parts.size(), figure.value + unit, figure.spread);
    }
  }
  std::ranges::move(metrics, std::back_inserter(events));
  for (Column& column : events) {
    column.width = display_width(column.title);
    for (const std::string& cell : column.cells) {
      column.width = std::max(column.width, display_width(cell));
    }
  }
  return events;
}

// The labels of the machine's parts say what they are.
std::string_view heading_of(PartKind kind) {
  return kind == PartKind::thread || kind == PartKind::cgroup ? to_string(kind) : "";
}

}  // namespace

std::string part_table(const StatReport& report, const NumberStyle& style, std::size_t line) {
  const std::span<const StatReport::Part> parts = report.parts;
  // A single control group is the whole.
  if (parts.size() == 1 && report.kind_of_parts == PartKind::cgroup) return {};
  const std::vector<Column> columns = columns_of(parts, report.repeats > 1, style);
  std::vector<std::string> labels = {std::string(heading_of(report.kind_of_parts))};
  std::ranges::move(part_labels(report, kLongestLabel), std::back_inserter(labels));
  std::size_t label_width = 0;
  for (const auto& label : labels) label_width = std::max(label_width, display_width(label));

  std::string table;
  for (std::size_t first = 0, last = 0; first < columns.size(); first = last) {
    std::size_t width = 3 + label_width;
    while (last < columns.size() && (last == first || width + 3 + columns[last].width <= line)) {
      width += 3 + columns[last++].width;
    }
    if (first > 0) table += '\n';
    for (std::size_t row = 0; row < labels.size(); ++row) {
      table += "   " + pad_right(labels[row], label_width);
      for (std::size_t i = first; i < last; ++i) {
        const std::string& cell = row == 0 ? columns[i].title : columns[i].cells[row - 1];
        table += "   " + pad_left(cell, columns[i].width);
      }
      table += '\n';
    }
  }
  return table;
}

}  // namespace tacho
