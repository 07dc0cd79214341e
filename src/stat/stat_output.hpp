// The results of `tacho stat`: intervals, the series and OpenMetrics while the workload runs, the
// report at its end. Writes them to their files.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>

#include "base/number.hpp"
#include "base/result.hpp"
#include "events/metric.hpp"
#include "measure/measure.hpp"
#include "report/notices.hpp"
#include "report/output.hpp"
#include "stat/interval.hpp"
#include "stat/metric_choice.hpp"
#include "stat/openmetrics_output.hpp"
#include "stat/report.hpp"
#include "stat/request.hpp"
#include "stat/row_output.hpp"
#include "stat/stat_page.hpp"

namespace tacho {

class StatOutput {
 public:
  // Opens the files, so that a file that can't be written is an error before the workload starts.
  // `version` is tacho's own. `rows` is there when the request asks for a report with rows. The
  // request must outlive the StatOutput.
  static Result<StatOutput> open(const StatRequest& request, std::string version,
                                 std::optional<RowReport> rows, const Notices& notices);

  // An error when a picture would show nothing. The measurement has not begun.
  Result<void> check_plot(const Measurement& m) const {
    return rows_ ? rows_->check_plot(m) : Result<void>();
  }

  // The listener for measure(). It prints intervals and writes the series, if the request asks for
  // them, and completes the metrics when the run has begun. The StatOutput and the metrics must
  // outlive the listener.
  Listener listener(MetricChoice& metrics);

  // Writes the report and the series' last line. Returns whether everything was written; the
  // first failure of each file is a notice, and a result that its file does not take goes to stderr
  // instead.
  bool finish(const StatReport& report);

 private:
  StatOutput(const StatRequest& request, std::string version, Output result, const Notices& notices)
      : request_(request),
        version_(std::move(version)),
        result_(std::move(result)),
        notices_(notices) {}

  void keep(std::string_view lines);
  std::string report_text(const StatReport& report);
  std::string interval_text_of(const StatReport& interval, double at_s);
  // Says the error and what comes next on standard error, where the rest of the result goes.
  void lose_result(const Error& error, std::string_view next);
  void write_interval(const StatReport& interval, double at_s);
  void write_report(std::string_view text);
  void print_interval(Measured slices, double at_s, std::span<const Metric> metrics);
  void warn_of(const StatReport& report) const;
  void warn_of_shared_output() const;

  const StatRequest& request_;
  std::string version_;
  Output result_;
  Notices notices_;
  NumberStyle style_;
  std::optional<off_t> standard_output_;  // its size before the run, if the result goes there
  std::optional<IntervalLayout> layout_;  // since the first interval
  std::size_t absences_ = 0;              // lasting ones, at the last interval
  std::optional<Output> series_;
  std::string series_path_;
  std::size_t period_ = 0;
  std::optional<RowOutput> rows_;
  std::optional<OpenMetricsOutput> openmetrics_;
  std::optional<StatPage> page_;
  bool series_lost_ = false;
  bool result_lost_ = false;  // its file did not take a part: the rest goes to stderr
};

}  // namespace tacho
