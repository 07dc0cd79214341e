#include "events/report_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "events/data_file.hpp"
#include "events/metric_table.hpp"

namespace tacho {
namespace {

constexpr auto kReportKeys =
    std::to_array<std::string_view>({"description", "period_ms", "counters", "set"});
constexpr auto kPartKeys = std::to_array<std::string_view>({"name", "rows", "choices", "ratios"});
constexpr std::array kPmuKinds = {PmuKind::hardware, PmuKind::software, PmuKind::simulated,
                                  PmuKind::arm_registers};
constexpr auto kChoiceKeys = std::to_array<std::string_view>({"pmu", "events", "note"});

using Texts = std::vector<std::string>;

Result<Texts> texts(const TomlFile& file, const toml::table& table, std::string_view key,
                    std::string_view example) {
  const auto array = TACHO_TRY(file.array(table, key, example));
  Texts all;
  for (const toml::node& node : *array) {
    const auto* text = node.as_string();
    if (text == nullptr || text->get().empty())
      return file.bad(node.source(), fmt::format("an entry of '{}' is not a text", key),
                      fmt::format("write {}", example));
    all.push_back(text->get());
  }
  return all;
}

// A number above 0 and at most `most`.
Result<double> number(const TomlFile& file, const toml::table& table, std::string_view key,
                      double most) {
  const toml::node* node = table.get(key);
  const auto value = node != nullptr ? node->value<double>() : std::nullopt;
  if (value && *value > 0 && *value <= most) return *value;
  return file.bad(node != nullptr ? node->source() : table.source(),
                  fmt::format("'{}' is not a number above 0 and up to {:g}", key, most),
                  fmt::format("write {} = …", key));
}

// The kind of PMU that a choice is for; nothing if it is for all kinds.
Result<std::optional<PmuKind>> pmu_kind(const TomlFile& file, const toml::table& table) {
  const std::string word = TACHO_TRY(file.text(table, "pmu", false));
  if (word.empty()) return std::nullopt;
  for (const PmuKind kind : kPmuKinds)
    if (word == to_string(kind)) return kind;
  std::vector<std::string_view> words;
  for (const PmuKind kind : kPmuKinds) words.push_back(to_string(kind));
  return file.bad(table.get("pmu")->source(), fmt::format("there is no pmu '{}'", word),
                  fmt::format("write one of {}, or none for a choice that holds on all",
                              fmt::join(words, ", ")));
}

Result<ReportSet::Choice> choice(const TomlFile& file, const toml::node& node, std::size_t rows) {
  constexpr std::string_view kExample = "{events = [\"a\", \"b\"]}";
  const toml::table* table = node.as_table();
  if (table == nullptr)
    return file.bad(node.source(), "a choice is not a table", fmt::format("write {}", kExample));
  TACHO_TRY(file.check_keys(*table, kChoiceKeys));
  const auto pmu = TACHO_TRY(pmu_kind(file, *table));
  auto events = TACHO_TRY(texts(file, *table, "events", "events = [\"a\", \"b\"]"));
  if (events.size() > rows)
    return file.bad(node.source(), fmt::format("{} events for {} rows", events.size(), rows),
                    "give one event for each row");
  auto note = TACHO_TRY(file.text(*table, "note", false));
  return ReportSet::Choice{pmu, std::move(events), std::move(note)};
}

Result<ReportSet> set(const TomlFile& file, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return file.bad(node.source(), "a set is not a table", "write [[set]]");
  TACHO_TRY(file.check_keys(*table, kPartKeys));
  ReportSet made;
  auto name = TACHO_TRY(file.text(*table, "name", true));
  made.name = std::move(name);
  auto rows = TACHO_TRY(texts(file, *table, "rows", "rows = [\"Branches\"]"));
  made.rows = std::move(rows);
  const auto choices =
      TACHO_TRY(file.array(*table, "choices", "choices = [{events = [\"branches\"]}]"));
  for (const toml::node& each : *choices) {
    made.choices.push_back(TACHO_TRY(choice(file, each, made.rows.size())));
  }
  if (!table->contains("ratios")) return made;
  const auto ratios =
      TACHO_TRY(file.array(*table, "ratios", "ratios = [{name = \"…\", formula = \"…\"}]"));
  for (const toml::node& each : *ratios) {
    made.ratios.push_back(TACHO_TRY(read_metric(file, each)));
  }
  return made;
}

// Each row has a name of its own, and formulas name only rows.
Result<void> check_names(const TomlFile& file, const ReportLayout& report) {
  Texts known = {std::string(kCyclesRow)};
  for (const ReportSet& set : report.sets)
    for (const std::string& row : set.rows) {
      if (std::ranges::find(known, row) != known.end())
        return failure(fmt::format("{}: row '{}' is given twice", file.path(), row),
                       "give each row its own name");
      known.push_back(row);
    }
  for (const ReportSet& set : report.sets)
    for (const Metric& ratio : set.ratios)
      for (const std::string& name : ratio.formula.names())
        if (std::ranges::find(known, name) == known.end())
          return failure(fmt::format("{}: ratio '{}' needs '{}', which is not a row", file.path(),
                                     ratio.name, name),
                         "formulas have names of rows, between backticks where they have spaces");
  return {};
}

}  // namespace

Result<ReportLayout> parse_report(std::string_view text, const std::string& path) {
  const TomlFile file(path);
  const auto table = TACHO_TRY(file.parse(text));
  TACHO_TRY(file.check_keys(table, kReportKeys));
  ReportLayout report;
  report.name = std::filesystem::path(path).stem().string();
  const auto period = TACHO_TRY(number(file, table, "period_ms", 60'000));
  const auto counters = TACHO_TRY(number(file, table, "counters", 1'000));
  report.period_ms = period;
  report.counters = std::max(1, static_cast<int>(counters));
  const auto sets = TACHO_TRY(file.array(table, "set", "a table [[set]]"));
  for (const toml::node& node : *sets) {
    report.sets.push_back(TACHO_TRY(set(file, node)));
  }
  TACHO_TRY(check_names(file, report));
  return report;
}

Result<ReportLayout> load_report(const std::string& path) {
  auto text = read_data_file(path);
  if (text) return parse_report(*text, path);
  text.error().remedy =
      "check its name; tacho's own reports are in share/tacho/reports beside its bin directory";
  return std::unexpected(text.error());
}

}  // namespace tacho
