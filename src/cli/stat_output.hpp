// What `tacho stat` prints and keeps: intervals and the series while the workload runs, the report
// at its end.
#pragma once

#include <optional>
#include <span>

#include "base/number.hpp"
#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/row_output.hpp"
#include "cli/stat_options.hpp"
#include "events/metric.hpp"
#include "measure/measure.hpp"
#include "stat/metric_choice.hpp"
#include "stat/report.hpp"

namespace tacho {

class StatOutput {
 public:
  // Opens the files, so that what can't be written is known before the workload starts.
  // `rows` is there when the options ask for such a report.
  static Result<StatOutput> open(const StatOptions& options, std::optional<RowReport> rows);

  // With a measurement that has not begun: an error when a picture would show nothing.
  Result<void> check_plot(const Measurement& m) const {
    return rows_ ? rows_->check_plot(m) : Result<void>();
  }

  // For measure(): prints intervals and keeps the series, as far as the options ask for it. The
  // StatOutput and the metrics, which are completed when it has begun, must outlive the listener.
  Listener listener(MetricChoice& metrics);

  // The report, and the series' last line. Whether everything was written; what was not is said
  // here, and a result that its file does not take goes to stderr instead.
  bool finish(const StatReport& report);

 private:
  StatOutput(Format format, Output result) : format_(format), result_(std::move(result)) {}

  void keep(std::string_view lines);
  void print_interval(const Measurement& slice, double at_s, std::span<const Metric> metrics);

  Format format_;
  Output result_;
  NumberStyle style_;
  bool intervals_ = false;
  bool interval_begun_ = false;
  std::optional<Output> series_;
  std::string series_path_;
  std::size_t period_ = 0;
  std::optional<RowOutput> rows_;
  std::optional<Error> lost_;  // the first failure to write while the workload ran
};

}  // namespace tacho
