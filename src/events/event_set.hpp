// Event sets: events to be counted together, with the metrics that they give; read from data files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/metric.hpp"

namespace tacho {

// A set of events that are useful when they are counted together, with their metrics.
struct EventSet {
  struct MetricEntry {
    std::string name;           // of the set's own metric, or of one in metrics.toml
    std::string place;          // file:line
    std::optional<Metric> own;  // the set's own metric
  };
  std::string path;
  std::string name;  // the file's name without directory and suffix
  std::string description;
  std::vector<std::string> events;  // event-list elements: `cycles`, `{branches,branch-misses}`
  std::vector<std::string> places;  // file:line of each element of `events`
  // Elements that only a simulation is asked for: few hardware PMUs have these events.
  std::vector<std::string> simulated;
  std::vector<std::string> simulated_places;
  // Elements that are counted where the machine has all of their events.
  std::vector<std::string> optional;
  std::vector<std::string> optional_places;
  std::vector<MetricEntry> metrics;
};

// Reads one set file. The names of metrics are not looked up: metrics_of does that when metrics are
// needed. Errors name the file, the line and the reason.
Result<EventSet> load_set(const std::string& path);

// The same for text in memory. Errors name `path`, and the set's name is derived from it.
Result<EventSet> parse_set(std::string_view text, const std::string& path);

// The set's metrics: its own, and those of `known` that it names. It is an error if a metric is
// unknown, is named twice, or needs an event that the set does not count. Errors name the file and
// the line.
Result<std::vector<Metric>> metrics_of(const EventSet& set, std::span<const Metric> known);

}  // namespace tacho
