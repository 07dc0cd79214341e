// Metrics and arrays in data files.
#include "events/data_file.hpp"

#include <fmt/format.h>

#include <array>

namespace tacho {
namespace {

// toml++ holds whole numbers and texts of any size; no array of ours is ever longer than this.
constexpr std::size_t kMostEntries = 1024;

constexpr auto kMetricKeys =
    std::to_array<std::string_view>({"name", "formula", "unit", "description"});

}  // namespace

Result<Metric> DataFile::metric(const toml::node& node) const {
  const toml::table* table = node.as_table();
  if (table == nullptr)
    return bad(node.source(), "a metric is neither a name nor a table",
               "write \"CPI\", or {name = \"…\", formula = \"…\", unit = \"…\"}");
  if (auto good = check_keys(*table, kMetricKeys); !good) return std::unexpected(good.error());
  const auto name = text(*table, "name", true);
  if (!name) return std::unexpected(name.error());
  const auto source = text(*table, "formula", true);
  if (!source) return std::unexpected(source.error());
  const auto unit = text(*table, "unit", false);
  if (!unit) return std::unexpected(unit.error());
  const auto description = text(*table, "description", false);
  if (!description) return std::unexpected(description.error());
  auto formula = Formula::parse(*source);
  if (!formula)
    return bad(table->get("formula")->source(),
               fmt::format("formula '{}' of metric '{}': {}", source->substr(0, 80), *name,
                           formula.error().what),
               "formulas have numbers, event names, + - * / and parentheses; write subtraction "
               "with spaces, and unusual names between backticks");
  return Metric{*name, std::move(*formula), *unit, *description};
}

Result<const toml::array*> DataFile::array(const toml::table& table, std::string_view key,
                                           std::string_view example) const {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return bad(table.source(), fmt::format("'{}' is missing", key), fmt::format("add {}", example));
  const toml::array* array = node->as_array();
  if (array == nullptr)
    return bad(node->source(), fmt::format("'{}' is not an array", key),
               fmt::format("write {}", example));
  if (array->empty() || array->size() > kMostEntries)
    return bad(node->source(), fmt::format("'{}' has {} entries", key, array->size()),
               fmt::format("from 1 to {} make sense", kMostEntries));
  return array;
}

}  // namespace tacho
