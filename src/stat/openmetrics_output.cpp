#include "stat/openmetrics_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "report/absence.hpp"
#include "stat/whole_report.hpp"

namespace tacho {

Result<OpenMetricsOutput> OpenMetricsOutput::open(const StatRequest& request, std::string version,
                                                  std::span<const NamedOutput> others,
                                                  const Notices& notices) {
  ReplacedFile file = TACHO_TRY(ReplacedFile::at(request.openmetrics));
  for (const auto& [what, output] : others) {
    std::error_code unknown;  // such as one that is not there yet, or has no name
    if (std::filesystem::equivalent(output->name(), file.path(), unknown))
      return failure(fmt::format("{} and the OpenMetrics would go into the same file: '{}'", what,
                                 file.path()),
                     "give each a file of its own");
  }
  OpenMetrics metrics;
  metrics.run = std::filesystem::path(file.path()).stem();
  metrics.version = std::move(version);
  metrics.kind_of_parts = to_string(kind_of_parts(request));
  return OpenMetricsOutput(std::move(file), std::move(metrics), notices);
}

void OpenMetricsOutput::interval(const StatReport& interval, double at_s) {
  has_intervals_ = true;
  const double counting_s = interval.measurement.workload.counting_s();
  whole_.add(interval.summary, counting_s);
  metrics_.target = interval.measurement.workload.label;
  metrics_.machine = interval.measurement.machine;
  metrics_.elapsed_s = at_s;
  metrics_.warnings = all_warnings(interval.measurement, interval.summary).size();
  metrics_.totals = whole_.totals();
  metrics_.parts.clear();
  parts_.resize(interval.parts.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].add(interval.parts[i].summary, counting_s);
    metrics_.parts.push_back({interval.parts[i].label, parts_[i].totals()});
  }
  write();
}

bool OpenMetricsOutput::finish(const StatReport& report) {
  if (has_intervals_) return !lost_;  // the last one ended with the run
  const Measurement& measurement = report.measurement;
  const double counting_s = measurement.workload.counting_s();
  metrics_.target = measurement.workload.label;
  metrics_.machine = measurement.machine;
  metrics_.elapsed_s = measurement.workload.elapsed_s;
  if (measurement.workload.has_usage) metrics_.usage = measurement.workload;
  metrics_.warnings = all_warnings(measurement, report.summary).size();
  metrics_.totals = whole_totals(report.summary, counting_s);
  for (const StatReport::Part& part : report.parts)
    metrics_.parts.push_back({part.label, whole_totals(part.summary, counting_s)});
  write();
  return !lost_;
}

void OpenMetricsOutput::write() {
  const auto written = file_.replace(to_openmetrics(metrics_));
  if (!written && !lost_) notices_.error(written.error());
  if (!written) lost_ = true;
}

}  // namespace tacho
