#include "events/event_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "events/data_file.hpp"
#include "events/metric_table.hpp"
#include "events/modifiers.hpp"
#include "events/spelling.hpp"
#include "events/split_events.hpp"
#include "events/toml_file.hpp"

namespace tacho {
namespace {

constexpr auto kSetKeys =
    std::to_array<std::string_view>({"description", "events", "simulated", "optional", "metrics"});

std::string place(const TomlFile& file, const toml::node& node) {
  return fmt::format("{}:{}", file.path(), node.source().begin.line);
}

Result<void> add_event(const TomlFile& file, const toml::node& node,
                       std::vector<std::string>& events, std::vector<std::string>& places) {
  const auto* text = node.as_string();
  if (text == nullptr)
    return file.bad(node.source(), "an event is not a text", "write \"cycles\" or \"{a,b}\"");
  const auto groups = split_events(text->get());
  if (!groups) return file.bad(node.source(), groups.error().what, groups.error().remedy);
  events.push_back(text->get());
  places.push_back(place(file, node));
  return {};
}

Result<void> add_metric(const TomlFile& file, const toml::node& node, EventSet& set) {
  if (const auto* name = node.as_string()) {
    set.metrics.push_back({name->get(), place(file, node), {}});
    return {};
  }
  auto own = TACHO_TRY(read_metric(file, node));
  set.metrics.push_back({own.name, place(file, node), std::move(own)});
  return {};
}

// What formulas can name: the set's events without their modifiers, and the time.
std::vector<std::string> event_names(const EventSet& set) {
  std::vector<std::string> names{"duration_time"};
  for (const auto* elements : {&set.events, &set.optional})
    for (const std::string& element : *elements) {
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

}  // namespace

Result<EventSet> parse_set(std::string_view text, const std::string& path) {
  const TomlFile file(path);
  const auto table = TACHO_TRY(file.parse(text));
  TACHO_TRY(file.check_keys(table, kSetKeys));
  EventSet set;
  set.path = path;
  set.name = std::filesystem::path(path).stem().string();
  set.description = TACHO_TRY(file.text(table, "description", false));

  const auto events =
      TACHO_TRY(file.array(table, "events", "events = [\"cycles\", \"{branches,branch-misses}\"]"));
  for (const toml::node& node : *events) TACHO_TRY(add_event(file, node, set.events, set.places));
  if (table.contains("simulated")) {
    const auto more = TACHO_TRY(file.array(table, "simulated", "simulated = [\"stores\"]"));
    for (const toml::node& node : *more)
      TACHO_TRY(add_event(file, node, set.simulated, set.simulated_places));
  }

  if (table.contains("optional")) {
    const auto more =
        TACHO_TRY(file.array(table, "optional", "optional = [\"power/energy-ram/\"]"));
    for (const toml::node& node : *more)
      TACHO_TRY(add_event(file, node, set.optional, set.optional_places));
  }

  if (!table.contains("metrics")) return set;
  const auto metrics = TACHO_TRY(file.array(table, "metrics", "metrics = [\"CPI\"]"));
  for (const toml::node& node : *metrics) TACHO_TRY(add_metric(file, node, set));
  return set;
}

Result<std::vector<Metric>> metrics_of(const EventSet& set, std::span<const Metric> known) {
  const std::vector<std::string> events = event_names(set);
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
      return failure(fmt::format("{}: metric '{}' is given twice", entry.place, metric.name),
                     "give it once");
    metrics.push_back(metric);
  }
  return metrics;
}

Result<EventSet> load_set(const std::string& path) {
  auto text = read_data_file(path);
  if (!text) {
    text.error().remedy =
        "check its name; tacho's own sets are in share/tacho/sets beside its bin directory";
    return std::unexpected(text.error());
  }
  return parse_set(*text, path);
}

}  // namespace tacho
