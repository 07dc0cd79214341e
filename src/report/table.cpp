#include "report/table.hpp"

#include <algorithm>

#include "base/number.hpp"
#include "base/text_layout.hpp"

namespace tacho {

std::string table(const std::vector<Row>& events, const std::vector<Row>& metrics) {
  std::size_t value = 14;  // characters: enough that most reports look alike
  std::size_t zone = 0;
  std::size_t name = 0;
  std::array<std::size_t, 4> rest{};
  const auto width_of_units = [](const std::vector<Row>& rows) {
    std::size_t width = 0;
    for (const Row& row : rows) width = std::max(width, display_width(row.figure.unit));
    return width == 0 ? 0 : width + 1;
  };
  const std::size_t event_units = width_of_units(events);
  const bool uncertain =
      std::ranges::any_of(metrics, [](const Row& row) { return !row.figure.spread.empty(); });
  const std::size_t metric_units = uncertain ? width_of_units(metrics) : 0;
  const auto zone_of = [&](const Row& row, std::size_t units) {
    return pad_right(row.figure.unit, units) + row.figure.spread;
  };
  const auto measure = [&](const std::vector<Row>& rows, std::size_t units) {
    for (const Row& row : rows) {
      value = std::max(value, display_width(row.figure.value));
      zone = std::max(zone, display_width(zone_of(row, units)));
      name = std::max(name, display_width(row.name));
    }
  };
  measure(events, event_units);
  measure(metrics, metric_units);

  std::string text;
  const auto write = [&](const std::vector<Row>& rows, std::size_t units) {
    rest = {};
    for (const Row& row : rows) {
      for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i] = std::max(rest[i], display_width(row.rest[i]));
      }
    }
    for (const Row& row : rows) {
      std::string line = "  " + pad_left(row.figure.value, value) + ' ' +
                         pad_right(zone_of(row, units), zone) + "  " + pad_right(row.name, name);
      for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i] > 0) line += "  " + pad_right(row.rest[i], rest[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
  };
  write(events, event_units);
  if (!events.empty() && !metrics.empty()) text += '\n';
  write(metrics, metric_units);
  return text;
}

}  // namespace tacho
