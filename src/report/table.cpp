#include "report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/number.hpp"
#include "base/text_layout.hpp"

namespace tacho {
namespace {

using Rest = std::array<std::size_t, 4>;  // widths; 0: nothing in it, or left out
constexpr std::array<std::string_view, 4> kTitles = {"rates", "minima", "true counts",
                                                     "origins and reasons"};
constexpr std::size_t kUsualValue = 14;  // enough that most reports look alike

// Widths of the columns that events and metrics share, in characters.
struct Widths {
  std::size_t value = 0, zone = 0, name = 0;
};

std::size_t width_of_units(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, display_width(row.figure.unit));
  return width == 0 ? 0 : width + 1;
}

std::string zone_of(const Row& row, std::size_t units) {
  return pad_right(row.figure.unit, units) + row.figure.spread;
}

void widen(Widths& widths, const std::vector<Row>& rows, std::size_t units) {
  for (const Row& row : rows) {
    widths.value = std::max(widths.value, display_width(row.figure.value));
    widths.zone = std::max(widths.zone, display_width(zone_of(row, units)));
    widths.name = std::max(widths.name, display_width(row.name));
  }
}

Rest rest_of(const std::vector<Row>& rows) {
  Rest rest{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < rest.size(); ++i)
      rest[i] = std::max(rest[i], display_width(row.rest[i]));
  return rest;
}

std::size_t line_width(const Widths& widths, const Rest& rest) {
  std::size_t width = 2 + widths.value + 1 + widths.zone + 2 + widths.name;
  for (const std::size_t each : rest) width += each > 0 ? 2 + each : 0;
  return width;
}

std::string lines_of(const std::vector<Row>& rows, std::size_t units, const Widths& widths,
                     const Rest& rest) {
  std::string text;
  for (const Row& row : rows) {
    std::string line = "  " + pad_left(row.figure.value, widths.value) + ' ' +
                       pad_right(zone_of(row, units), widths.zone) + "  " +
                       pad_right(row.name, widths.name);
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (rest[i] > 0) line += "  " + pad_right(row.rest[i], rest[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace

std::string table(const std::vector<Row>& events, const std::vector<Row>& metrics,
                  std::size_t columns) {
  const bool uncertain =
      std::ranges::any_of(metrics, [](const Row& row) { return !row.figure.spread.empty(); });
  const std::size_t event_units = width_of_units(events);
  const std::size_t metric_units = uncertain ? width_of_units(metrics) : 0;
  Widths widths;
  widen(widths, events, event_units);
  widen(widths, metrics, metric_units);
  Rest of_events = rest_of(events);
  Rest of_metrics = rest_of(metrics);
  const auto width = [&] {
    return std::max(line_width(widths, of_events), line_width(widths, of_metrics));
  };
  std::vector<std::string_view> left_out;
  for (std::size_t i = of_events.size(); --i > 0 && columns > 0 && width() > columns;)
    if (std::max(std::exchange(of_events[i], 0), std::exchange(of_metrics[i], 0)) > 0)
      left_out.insert(left_out.begin(), kTitles[i]);
  if (widths.value < kUsualValue) {
    const std::size_t room = columns == 0 ? kUsualValue : columns - std::min(columns, width());
    widths.value = std::min(kUsualValue, widths.value + room);
  }
  std::string text = lines_of(events, event_units, widths, of_events);
  if (!events.empty() && !metrics.empty()) text += '\n';
  text += lines_of(metrics, metric_units, widths, of_metrics);
  if (!left_out.empty())
    text += paragraph(" ",
                      fmt::format("(no room for: {}; a wider terminal and --json show them)",
                                  fmt::join(left_out, ", ")),
                      columns);
  return text;
}

}  // namespace tacho
