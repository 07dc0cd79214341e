// Which metrics a report shows: those that the chosen sets name, or all that chosen events give.
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

  // Those that the sets name; with `every`, all others that are known, too. A user's own files are
  // read now, so that what is wrong in them is known before a workload starts. What tacho was
  // installed with was tested with it, and reading it takes a sixth of a launch: that can wait.
  static Result<MetricChoice> of(std::vector<EventSet> sets, bool every);

  // Reads what has waited. At the latest once the workload has been let go: it loads meanwhile.
  void complete();

  // Complete only after complete(). Stays where it is as long as the choice does.
  const std::vector<Metric>& metrics() const { return metrics_; }

  // Why there are none, after complete(): tacho is not installed whole.
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
