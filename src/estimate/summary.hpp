// The result of a measurement: each event with its status, estimate and interval, and the metrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/interval_ends.hpp"

namespace tacho {

enum class Status { counted, simulated, estimated, unsupported, failed };
std::string_view to_string(Status);  // the word in JSON and CSV

struct EventSummary {
  std::string name;
  std::string unit;  // of count and estimate: "" for a plain count, or "ns", …
  Status status = Status::counted;
  std::optional<double> count;     // as counted; none if unsupported or failed
  std::optional<double> estimate;  // for the whole run; equal to count if counted or simulated
  std::optional<double> ci95;      // half-width; 0 if counted; none for too few periods
  // Half-width of the interval of estimate / elapsed time, in 1/s; 0 if both are exact.
  std::optional<double> rate_ci95;
  // The part of ci95 that all runs share, because what turns covered is not known
  // (WholeReference). Repeats (-r) do not make it smaller.
  double shared95 = 0;
  std::optional<double> truth;    // the count of the whole run, if a simulation has it too
  double share = 1.0;             // the part of the reference during which it was counted
  std::size_t periods = 0;        // number of periods in which it was counted
  double running_ns = 0;          // for which it had a counter, on all CPUs; over repeats the mean
  std::optional<double> minimum;  // over repeats (-r)
  std::string reason;             // why it is unsupported or failed, or has no interval
  std::string remedy;
  // On unequal cores: the core PMU that counted it, and the sum that it is a part of. `share` is
  // then the part of the CPU time, or of the CPUs' time, that its counts cover.
  std::string pmu;
  std::string part_of;
};

struct MetricSummary {
  std::string name;
  std::string unit;
  std::optional<double> value;  // none if an event could not be counted, or for a division by zero
  std::optional<double> ci95;   // half-width
  std::string reason;
  bool may_be_negative = false;  // a difference, so its interval may reach below zero
  double shared95 = 0;           // as of an event
};

// The ends of the 95 % interval; none if there is no interval.
std::optional<IntervalEnds> ends95(const EventSummary&);
std::optional<IntervalEnds> ends95(const MetricSummary&);

struct Summary {
  std::vector<EventSummary> events;
  std::vector<MetricSummary> metrics;
  std::vector<std::string> warnings;
};

}  // namespace tacho
