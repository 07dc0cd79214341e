// analysis: what was measured means. Here a Measurement; beside it recordings, loads and regions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/metric.hpp"
#include "stats/measurement.hpp"

namespace tacho {

enum class Status { counted, simulated, estimated, unsupported, failed };
std::string_view to_string(Status);  // the schema's word

struct EventSummary {
  std::string name;
  std::string unit;  // "" or "ns", …: what count and estimate are in
  Status status = Status::counted;
  std::optional<double> count;     // what was counted; none when unsupported or failed
  std::optional<double> estimate;  // for the whole run; equals count when counted or simulated
  std::optional<double> ci95;      // half-width; 0 when counted; none with too few periods
  std::optional<double> truth;     // of an estimate, where all was counted beside it
  double share = 1.0;              // of the reference, during which it was counted
  std::size_t periods = 0;         // periods it was counted in
  std::optional<double> minimum;   // over repeats (-r)
  std::string reason;              // why unsupported or failed; or why there is no interval
  std::string remedy;
};

struct MetricSummary {
  std::string name;
  std::string unit;
  std::optional<double> value;  // none when an event could not be counted, or on division by zero
  std::optional<double> ci95;
  std::string reason;
};

struct Summary {
  std::vector<EventSummary> events;
  std::vector<MetricSummary> metrics;
  std::vector<std::string> warnings;
};

// Scales what took turns to the whole run by the ratio estimator (W. G. Cochran, Sampling
// Techniques, 3rd ed., ch. 6), with 95 % intervals from successive differences, and evaluates the
// metrics on the estimates, in the events' units, with jackknife intervals (stats/ratio.hpp,
// docs/explanation/statistics.md). A name in a formula means the event of exactly that name, else
// the only one that has it but for modifiers (`instructions:u` for `instructions`). Metrics whose
// events were not all asked for are left out. Warnings hold those of the measuring too.
Summary summarise(const Measurement&, std::span<const Metric> metrics);

// The same for repeated runs: means over the runs, Student's t intervals of the mean over the
// runs (so ci95 is not 0 for a counted event), minima, and all periods together. `runs` is not
// empty and all runs counted the same events.
Summary summarise_repeats(std::span<const Measurement> runs, std::span<const Metric> metrics);

// What the runs used, written into `usage`: user and system time are means over the runs, memory is
// the most that one of them held. `runs` is not empty; `usage` may be one of theirs.
void average_usage(std::span<const Measurement> runs, Workload& usage);

}  // namespace tacho
