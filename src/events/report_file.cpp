// Reads the files of data/reports.
#include "events/report_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.hpp"
#include "base/pmu_kind.hpp"
#include "events/data_file.hpp"

namespace tacho {
namespace {

constexpr auto kReportKeys =
    std::to_array<std::string_view>({"description", "period_ms", "counters", "set"});
constexpr auto kPartKeys = std::to_array<std::string_view>({"name", "rows", "choices", "ratios"});
constexpr std::array kPmuKinds = {to_string(PmuKind::hardware), to_string(PmuKind::software),
                                  to_string(PmuKind::simulated), to_string(PmuKind::arm_registers)};
constexpr auto kChoiceKeys = std::to_array<std::string_view>({"pmu", "events", "note"});

using Texts = std::vector<std::string>;

Result<Texts> texts(const DataFile& file, const toml::table& table, std::string_view key,
                    std::string_view example) {
  const auto array = file.array(table, key, example);
  if (!array) return std::unexpected(array.error());
  Texts all;
  for (const toml::node& node : **array) {
    const auto* text = node.as_string();
    if (text == nullptr || text->get().empty())
      return file.bad(node.source(), fmt::format("'{}' holds what is not a text", key),
                      fmt::format("write {}", example));
    all.push_back(text->get());
  }
  return all;
}

// A number above 0 and at most `most`.
Result<double> number(const DataFile& file, const toml::table& table, std::string_view key,
                      double most) {
  const toml::node* node = table.get(key);
  const auto value = node != nullptr ? node->value<double>() : std::nullopt;
  if (value && *value > 0 && *value <= most) return *value;
  return file.bad(node != nullptr ? node->source() : table.source(),
                  fmt::format("'{}' is no number above 0 and up to {:g}", key, most),
                  fmt::format("write {} = …", key));
}

Result<ReportSet::Choice> choice(const DataFile& file, const toml::node& node, std::size_t rows) {
  constexpr std::string_view kExample = "{events = [\"a\", \"b\"]}";
  const toml::table* table = node.as_table();
  if (table == nullptr)
    return file.bad(node.source(), "a choice is not a table", fmt::format("write {}", kExample));
  if (auto good = file.check_keys(*table, kChoiceKeys); !good) return std::unexpected(good.error());
  auto pmu = file.text(*table, "pmu", false);
  if (!pmu) return std::unexpected(pmu.error());
  if (!pmu->empty() && std::ranges::find(kPmuKinds, *pmu) == kPmuKinds.end())
    return file.bad(table->get("pmu")->source(), fmt::format("there is no pmu '{}'", *pmu),
                    fmt::format("write one of {}, or none for a choice that holds on all",
                                fmt::join(kPmuKinds, ", ")));
  auto events = texts(file, *table, "events", "events = [\"a\", \"b\"]");
  if (!events) return std::unexpected(events.error());
  if (events->size() > rows)
    return file.bad(node.source(), fmt::format("{} events for {} rows", events->size(), rows),
                    "give one event for each row");
  auto note = file.text(*table, "note", false);
  if (!note) return std::unexpected(note.error());
  return ReportSet::Choice{std::move(*pmu), std::move(*events), std::move(*note)};
}

Result<ReportSet> set(const DataFile& file, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return file.bad(node.source(), "a set is not a table", "write [[set]]");
  if (auto good = file.check_keys(*table, kPartKeys); !good) return std::unexpected(good.error());
  ReportSet made;
  auto name = file.text(*table, "name", true);
  if (!name) return std::unexpected(name.error());
  made.name = std::move(*name);
  auto rows = texts(file, *table, "rows", "rows = [\"Branches\"]");
  if (!rows) return std::unexpected(rows.error());
  made.rows = std::move(*rows);
  const auto choices = file.array(*table, "choices", "choices = [{events = [\"branches\"]}]");
  if (!choices) return std::unexpected(choices.error());
  for (const toml::node& each : **choices) {
    auto one = choice(file, each, made.rows.size());
    if (!one) return std::unexpected(one.error());
    made.choices.push_back(std::move(*one));
  }
  if (!table->contains("ratios")) return made;
  const auto ratios = file.array(*table, "ratios", "ratios = [{name = \"…\", formula = \"…\"}]");
  if (!ratios) return std::unexpected(ratios.error());
  for (const toml::node& each : **ratios) {
    auto ratio = file.metric(each);
    if (!ratio) return std::unexpected(ratio.error());
    made.ratios.push_back(std::move(*ratio));
  }
  return made;
}

// Names of rows stand once, and formulas have no others.
Result<void> check_names(const DataFile& file, const ReportLayout& report) {
  Texts known = {std::string(kCyclesRow)};
  for (const ReportSet& set : report.sets)
    for (const std::string& row : set.rows) {
      if (std::ranges::find(known, row) != known.end())
        return failure(fmt::format("{}: row '{}' stands twice", file.path(), row),
                       "give each row its own name");
      known.push_back(row);
    }
  for (const ReportSet& set : report.sets)
    for (const Metric& ratio : set.ratios)
      for (const std::string& name : ratio.formula.names())
        if (std::ranges::find(known, name) == known.end())
          return failure(fmt::format("{}: ratio '{}' needs '{}', which is no row", file.path(),
                                     ratio.name, name),
                         "formulas have names of rows, between backticks where they have spaces");
  return {};
}

}  // namespace

Result<ReportLayout> parse_report(std::string_view text, const std::string& path) {
  const DataFile file(path);
  const auto table = file.parse(text);
  if (!table) return std::unexpected(table.error());
  if (auto good = file.check_keys(*table, kReportKeys); !good) return std::unexpected(good.error());
  ReportLayout report;
  report.name = std::filesystem::path(path).stem().string();
  const auto period = number(file, *table, "period_ms", 60'000);
  if (!period) return std::unexpected(period.error());
  const auto counters = number(file, *table, "counters", 1'000);
  if (!counters) return std::unexpected(counters.error());
  report.period_ms = *period;
  report.counters = std::max(1, static_cast<int>(*counters));
  const auto sets = file.array(*table, "set", "a table [[set]]");
  if (!sets) return std::unexpected(sets.error());
  for (const toml::node& node : **sets) {
    auto one = set(file, node);
    if (!one) return std::unexpected(one.error());
    report.sets.push_back(std::move(*one));
  }
  if (auto good = check_names(file, report); !good) return std::unexpected(good.error());
  return report;
}

Result<ReportLayout> load_report(const std::string& path) {
  auto text = read_file(path);
  if (text) return parse_report(*text, path);
  text.error().remedy =
      "check its name; tacho's own reports are in share/tacho/reports beside its bin directory";
  return std::unexpected(text.error());
}

}  // namespace tacho
