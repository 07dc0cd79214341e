// The metrics that a report shows: those that the chosen sets name, or all that the chosen events
// allow.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "events/event_set.hpp"

namespace tacho {

class MetricChoice {
 public:
  // No metrics.
  MetricChoice() = default;

  // The metrics that the sets name; with `every`, all other known metrics too. A user's own files
  // are read now, so that an error in them is known before a workload starts. The files that tacho
  // was installed with were tested with it. Reading them takes a sixth of a launch, so it waits.
  static Result<MetricChoice> of(std::vector<EventSet> sets, bool every);

  // Reads the files that have waited. Call it when the workload has been started, at the latest:
  // the workload loads meanwhile.
  void complete();

  // Complete only after complete(). The reference is valid as long as the choice.
  const std::vector<Metric>& metrics() const { return metrics_; }

  // After complete(): why there are no metrics. Tacho is not completely installed then.
  const std::optional<Error>& error() const { return error_; }

 private:
  Result<void> read();

  std::vector<EventSet> sets_;
  bool every_ = false;
  bool waiting_ = false;
  std::vector<Metric> metrics_;
  std::optional<Error> error_;
};

}  // namespace tacho
