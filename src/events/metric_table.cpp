#include "events/metric_table.hpp"

#include <fmt/format.h>

#include <array>

namespace tacho {
namespace {

constexpr auto kMetricKeys =
    std::to_array<std::string_view>({"name", "formula", "unit", "description"});

}  // namespace

Result<Metric> read_metric(const TomlFile& file, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr)
    return file.bad(node.source(), "a metric is neither a name nor a table",
                    "write \"CPI\", or {name = \"…\", formula = \"…\", unit = \"…\"}");
  TACHO_TRY(file.check_keys(*table, kMetricKeys));
  const auto name = TACHO_TRY(file.text(*table, "name", true));
  const auto source = TACHO_TRY(file.text(*table, "formula", true));
  const auto unit = TACHO_TRY(file.text(*table, "unit", false));
  const auto description = TACHO_TRY(file.text(*table, "description", false));
  auto formula = Formula::parse(source);
  if (!formula)
    return file.bad(
        table->get("formula")->source(),
        fmt::format("formula '{}' of metric '{}': {}", source.substr(0, 80), name,
                    formula.error().what),
        "formulas have numbers, event names, + - * / and parentheses; write subtraction "
        "with spaces, and unusual names between backticks");
  return Metric{name, std::move(*formula), unit, description};
}

}  // namespace tacho
