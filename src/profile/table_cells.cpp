#include "profile/table_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

void CountColumn::note(const SampleCount& count, const CountInterval& interval) {
  const double half_width = (interval.high - interval.low) / 2;
  if (count.samples == 0 || half_width <= 0) return;
  narrowest_ = std::min(narrowest_.value_or(half_width), half_width);
}

// Negative: whole tens, hundreds, …
int CountColumn::decimals() const {
  constexpr int kDigitsOfInterval = 2;   // more of a half-width say nothing
  constexpr double kLastOfShare = 1e-3;  // share() shows tenths of a per cent
  constexpr int kMostOfClock = 6;        // ns
  const auto decimals_of = [](double step) {
    return -static_cast<int>(std::floor(std::log10(step)));
  };
  const double all = static_cast<double>(event_->occurred(event_->count)) * scale();
  int decimals = all > 0 ? decimals_of(all * kLastOfShare) : 0;
  if (narrowest_)
    decimals = std::min(decimals, decimals_of(*narrowest_ * scale()) + kDigitsOfInterval - 1);
  return std::min(decimals, event_->clock ? kMostOfClock : 0);
}

std::string CountColumn::cell(const SampleCount& count, const CountInterval& interval,
                              const NumberStyle& style) const {
  if (event_->count.samples == 0) return "-";
  const std::string unit = event_->clock ? " ms" : "";
  const double value = static_cast<double>(count.sum) * event_->scale * scale();
  if (interval.high <= interval.low) return fixed(value, event_->clock ? 2 : 0, style) + unit;
  const int digits = decimals();
  const double step = std::pow(10.0, -digits);
  const double rounded = std::round(value / step) * step;
  if (value > 0 && rounded <= 0) return '<' + fixed(step, std::max(digits, 0), style) + unit;
  return '~' + fixed(rounded, std::max(digits, 0), style) + unit;
}

std::string CountColumn::spread(const SampleCount& count, const CountInterval& interval,
                                const NumberStyle& style) const {
  const double sum = static_cast<double>(count.sum) * event_->scale;
  const double half_width = std::max(interval.high - sum, sum - interval.low);
  if (event_->count.samples == 0) return {};
  return figure_of({.name = {},
                    .unit = event_->clock ? "ns" : "",
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
                   {interval.low, interval.high}, false, style)
      .spread;
}

std::string count_cell(const SampleCount& count, bool has_lengths, const NumberStyle& numbers) {
  return has_lengths ? seconds(static_cast<double>(count.sum) / 1e9, numbers)
                     : whole(count.samples, numbers);
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
    cells.insert(cells.end(), {columns[i].cell(counts[i], counts95[i], style),
                               columns[i].spread(counts[i], counts95[i], style)});
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

std::string name_cell(std::string_view name) {
  constexpr std::size_t kLongest = 1000;  // characters
  return name.empty() ? "[no name]" : printable(name, kLongest);
}

std::string location(const ProfileRow& row) {
  if (row.file.empty()) return "?";
  const std::string name = row.file.substr(row.file.rfind('/') + 1);
  return row.line == 0 ? name : fmt::format("{}:{}", name, row.line);
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
