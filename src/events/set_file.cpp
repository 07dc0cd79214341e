// Reads metrics.toml and the set files: TOML, each error with file, line and reason.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "events/catalogue.hpp"
#include "events/data_file.hpp"
#include "events/metric.hpp"
#include "events/modifiers.hpp"
#include "events/spelling.hpp"

namespace tacho {
namespace {

constexpr auto kMetricsKeys = std::to_array<std::string_view>({"metric"});
constexpr auto kSetKeys = std::to_array<std::string_view>({"description", "events", "metrics"});

std::string place(const DataFile& file, const toml::node& node) {
  return fmt::format("{}:{}", file.path(), node.source().begin.line);
}

Result<void> add_event(const DataFile& file, const toml::node& node, EventSet& set) {
  const auto* text = node.as_string();
  if (text == nullptr)
    return file.bad(node.source(), "an event is not a text", "write \"cycles\" or \"{a,b}\"");
  const auto groups = split_events(text->get());
  if (!groups) return file.bad(node.source(), groups.error().what, groups.error().remedy);
  set.events.push_back(text->get());
  set.places.push_back(place(file, node));
  return {};
}

Result<void> add_metric(const DataFile& file, const toml::node& node, EventSet& set) {
  if (const auto* name = node.as_string()) {
    set.metrics.push_back({name->get(), place(file, node), {}});
    return {};
  }
  auto own = file.metric(node);
  if (!own) return std::unexpected(own.error());
  set.metrics.push_back({own->name, place(file, node), std::move(*own)});
  return {};
}

// The events of a set without their modifiers, as formulas name them.
std::vector<std::string> counted(const EventSet& set) {
  std::vector<std::string> names;
  for (const std::string& element : set.events) {
    const auto groups = split_events(element);
    for (const auto& group : groups.value())
      for (const std::string& spec : group) names.emplace_back(split_modifiers(spec).first);
  }
  return names;
}

std::unexpected<Error> unknown_metric(const EventSet::MetricEntry& entry,
                                      std::span<const Metric> known) {
  std::vector<std::string> names;
  for (const Metric& each : known) names.push_back(each.name);
  std::string remedy = did_you_mean(entry.name, names);
  if (remedy.empty()) remedy = "metrics.toml has the names; or give a table with name and formula";
  return failure(fmt::format("{}: unknown metric '{}'", entry.place, entry.name), remedy);
}

constexpr std::string_view kWhereSetsAre =
    "check its name; tacho's own sets are in share/tacho/sets beside its bin directory";

}  // namespace

Result<std::vector<Metric>> parse_metrics(std::string_view text, const std::string& path) {
  const DataFile file(path);
  const auto table = file.parse(text);
  if (!table) return std::unexpected(table.error());
  if (auto good = file.check_keys(*table, kMetricsKeys); !good)
    return std::unexpected(good.error());
  const auto entries = file.array(*table, "metric", "a table [[metric]]");
  if (!entries) return std::unexpected(entries.error());
  std::vector<Metric> metrics;
  for (const toml::node& node : **entries) {
    auto metric = file.metric(node);
    if (!metric) return std::unexpected(metric.error());
    if (std::ranges::find(metrics, metric->name, &Metric::name) != metrics.end())
      return file.bad(node.source(), fmt::format("metric '{}' stands twice", metric->name),
                      "give each metric its own name");
    metrics.push_back(std::move(*metric));
  }
  return metrics;
}

Result<EventSet> parse_set(std::string_view text, const std::string& path) {
  const DataFile file(path);
  const auto table = file.parse(text);
  if (!table) return std::unexpected(table.error());
  if (auto good = file.check_keys(*table, kSetKeys); !good) return std::unexpected(good.error());
  EventSet set;
  set.path = path;
  set.name = std::filesystem::path(path).stem().string();
  auto description = file.text(*table, "description", false);
  if (!description) return std::unexpected(description.error());
  set.description = std::move(*description);

  const auto events =
      file.array(*table, "events", "events = [\"cycles\", \"{branches,branch-misses}\"]");
  if (!events) return std::unexpected(events.error());
  for (const toml::node& node : **events)
    if (auto good = add_event(file, node, set); !good) return std::unexpected(good.error());

  if (!table->contains("metrics")) return set;
  const auto metrics = file.array(*table, "metrics", "metrics = [\"CPI\"]");
  if (!metrics) return std::unexpected(metrics.error());
  for (const toml::node& node : **metrics)
    if (auto good = add_metric(file, node, set); !good) return std::unexpected(good.error());
  return set;
}

Result<std::vector<Metric>> metrics_of(const EventSet& set, std::span<const Metric> known) {
  const std::vector<std::string> events = counted(set);
  std::vector<Metric> metrics;
  for (const EventSet::MetricEntry& entry : set.metrics) {
    const auto found = std::ranges::find(known, entry.name, &Metric::name);
    if (!entry.own && found == known.end()) return unknown_metric(entry, known);
    const Metric& metric = entry.own ? *entry.own : *found;
    for (const std::string& event : metric.formula.names())
      if (std::ranges::find(events, split_modifiers(event).first) == events.end())
        return failure(fmt::format("{}: metric '{}' needs event '{}', which the set does not count",
                                   entry.place, metric.name, event),
                       "add the event to 'events', or leave the metric out");
    if (std::ranges::find(metrics, metric.name, &Metric::name) != metrics.end())
      return failure(fmt::format("{}: metric '{}' stands twice", entry.place, metric.name),
                     "name it once");
    metrics.push_back(metric);
  }
  return metrics;
}

Result<std::vector<Metric>> load_metrics(const std::string& path) {
  auto text = read_file(path);
  if (!text) {
    text.error().remedy =
        "check that tacho is installed whole: share/tacho beside its bin directory";
    return std::unexpected(text.error());
  }
  return parse_metrics(*text, path);
}

Result<EventSet> load_set(const std::string& path) {
  auto text = read_file(path);
  if (!text) {
    text.error().remedy = kWhereSetsAre;
    return std::unexpected(text.error());
  }
  return parse_set(*text, path);
}

}  // namespace tacho
