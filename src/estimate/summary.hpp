// The result of a measurement: each event with its status, estimate and interval, and the metrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace tacho
