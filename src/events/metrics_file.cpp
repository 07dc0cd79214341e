#include "events/metrics_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "events/data_file.hpp"
#include "events/metric_table.hpp"

namespace tacho {
namespace {

constexpr auto kMetricsKeys = std::to_array<std::string_view>({"metric"});

}  // namespace

Result<std::vector<Metric>> parse_metrics(std::string_view text, const std::string& path) {
  const TomlFile file(path);
  const auto table = TACHO_TRY(file.parse(text));
  TACHO_TRY(file.check_keys(table, kMetricsKeys));
  const auto entries = TACHO_TRY(file.array(table, "metric", "a table [[metric]]"));
  std::vector<Metric> metrics;
  for (const toml::node& node : *entries) {
    auto metric = TACHO_TRY(read_metric(file, node));
    if (std::ranges::find(metrics, metric.name, &Metric::name) != metrics.end())
      return file.bad(node.source(), fmt::format("metric '{}' is given twice", metric.name),
                      "give each metric its own name");
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

Result<std::vector<Metric>> load_metrics(const std::string& path) {
  auto text = read_data_file(path);
  if (!text) {
    text.error().remedy =
        "check that tacho is installed whole: share/tacho beside its bin directory";
    return std::unexpected(text.error());
  }
  return parse_metrics(*text, path);
}

}  // namespace tacho
