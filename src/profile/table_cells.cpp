#include "profile/table_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/figure.hpp"

namespace tacho {
namespace {

constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kPlain = "\033[0m";

std::string_view colour_of(double share) {
  constexpr double kHot = 0.2, kWarm = 0.05;  // least shares
  if (share >= kHot) return kRed;
  return share >= kWarm ? kYellow : std::string_view();
}

// Events without a sample, such as perf's dummy, have no column.
bool has_column(const std::vector<SampledEvent>& events, std::size_t event, std::size_t chosen) {
  return event != chosen && events[event].count.samples > 0;
}

}  // namespace

Figure count_figure(const SampledEvent& event, const SampleCount& count,
                    const CountInterval& interval, const NumberStyle& style) {
  if (event.count.samples == 0) return {.value = "-", .unit = {}, .spread = {}};
  const auto sum = static_cast<double>(count.sum);
  const double half_width = std::max(interval.high - sum, sum - interval.low);
  Figure figure = figure_of({.name = {},
                             .unit = event.clock ? "ns" : "",
                             .status = half_width > 0 ? Status::estimated : Status::counted,
                             .count = {},
                             .estimate = sum,
                             .ci95 = half_width,
                             .rate_ci95 = {},
                             .truth = {},
                             .minimum = {},
                             .reason = {},
                             .remedy = {},
                             .pmu = {},
                             .part_of = {}},
                            {interval.low, interval.high}, false, style);
  figure.value = with_unit(figure);
  return figure;
}

Figure metric_figure(const RowMetric& metric, const NumberStyle& style) {
  return figure_of({.name = {},
                    .unit = metric.unit,
                    .value = metric.value,
                    .ci95 = metric.ci95,
                    .reason = {},
                    .may_be_negative = metric.may_be_negative},
                   style);
}

std::string with_unit(const Figure& figure) {
  return figure.unit.empty() ? figure.value : figure.value + ' ' + figure.unit;
}

void OtherColumns::add_titles(Cells& cells) const {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (has_column(events, i, chosen))
      cells.insert(cells.end(), {printable(events[i].name, 24), "95 %"});
  for (const RowMetric& metric : metrics) {
    cells.push_back(printable(metric.name, 24));
    cells.emplace_back("95 %");
  }
}

void OtherColumns::add(Cells& cells, const std::vector<SampleCount>& counts,
                       const std::vector<CountInterval>& counts95, const NumberStyle& style) const {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!has_column(events, i, chosen)) continue;
    const Figure figure = count_figure(events[i], counts[i], counts95[i], style);
    cells.insert(cells.end(), {figure.value, figure.spread});
  }
  for (const RowMetric& metric : metrics) {
    const Figure figure = metric_figure(metric, style);
    cells.push_back(metric.value ? with_unit(figure) : "-");
    cells.push_back(figure.spread);
  }
}

Cells owner_titles(SortBy sort) {
  if (sort == SortBy::cpu) return {"cpu"};
  Cells titles{"command"};
  if (sort != SortBy::command) titles.emplace_back("pid");
  if (sort == SortBy::thread) titles.emplace_back("tid");
  return titles;
}

Cells owner_cells(const ProfileRow& row, SortBy sort) {
  const auto number = [](const std::optional<std::int32_t>& value) {
    return value ? fmt::format("{}", *value) : "?";
  };
  if (sort == SortBy::cpu) return {number(row.cpu)};
  Cells cells{row.command.empty() ? "?" : printable(row.command, 24)};
  if (sort != SortBy::command) cells.push_back(number(row.pid));
  if (sort == SortBy::thread) cells.push_back(number(row.tid));
  return cells;
}

std::string location(const ProfileRow& row) {
  if (row.file.empty()) return "?";
  const std::string name = row.file.substr(row.file.rfind('/') + 1);
  return row.line == 0 ? name : fmt::format("{}:{}", name, row.line);
}

std::string cut_to(const std::string& text, std::size_t width) {
  return display_width(text) <= width ? text : printable(text, width - 1);
}

std::string coloured(std::string_view text, const std::function<double(std::size_t)>& heat,
                     const TextStyle& style) {
  if (!style.colour) return std::string(text);
  std::string result;
  for (std::size_t line = 0; !text.empty(); ++line) {
    const std::string_view each = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(each.size() + 1, text.size()));
    const std::string_view colour = colour_of(heat(line));
    result += colour.empty() ? std::string(each) : fmt::format("{}{}{}", colour, each, kPlain);
    result += '\n';
  }
  return result;
}

}  // namespace tacho
