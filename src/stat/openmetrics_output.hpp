// Keeps the file of `tacho stat --openmetrics`: replaces it at each interval, or writes it at the
// end of a run without intervals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/notices.hpp"
#include "report/output.hpp"
#include "stat/openmetrics.hpp"
#include "stat/replaced_file.hpp"
#include "stat/report.hpp"
#include "stat/request.hpp"
#include "stat/running_totals.hpp"

namespace tacho {

class OpenMetricsOutput {
 public:
  // An error if the file can't be written, or is one of the `others`.
  static Result<OpenMetricsOutput> open(const StatRequest& request, std::string version,
                                        std::span<const NamedOutput> others,
                                        const Notices& notices);

  // An interval has ended, `at_s` seconds after the start. The report is of the interval alone.
  void interval(const StatReport& interval, double at_s);

  // The run has ended. Returns whether everything was written: the first failure is a notice.
  bool finish(const StatReport& report);

 private:
  OpenMetricsOutput(ReplacedFile file, OpenMetrics metrics, const Notices& notices)
      : file_(std::move(file)), metrics_(std::move(metrics)), notices_(notices) {}

  void write();

  ReplacedFile file_;
  OpenMetrics metrics_;  // as they were written the last time
  Notices notices_;
  bool has_intervals_ = false;
  RunningTotals whole_;
  std::vector<RunningTotals> parts_;
  bool lost_ = false;
};

}  // namespace tacho
