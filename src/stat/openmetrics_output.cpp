#include "stat/openmetrics_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "estimate/summarise.hpp"
#include "report/absence.hpp"

namespace tacho {
namespace {

std::string kind_of_parts(const StatRequest& request) {
  if (request.per_thread) return "thread";
  if (request.counts_cgroups()) return "cgroup";
  switch (request.per.value_or(CpuPart::cpu)) {
    case CpuPart::cpu:
      break;
    case CpuPart::core:
      return "core";
    case CpuPart::socket:
      return "socket";
    case CpuPart::node:
      return "node";
  }
  return "cpu";
}

}  // namespace

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
  metrics.kind_of_parts = kind_of_parts(request);
  return OpenMetricsOutput(std::move(file), std::move(metrics), notices);
}

void OpenMetricsOutput::interval(const Summary& summary, const Measurement& slice, double at_s,
                                 std::span<const Measured::Part> parts,
                                 std::span<const Metric> metrics) {
  has_intervals_ = true;
  const double counting_s = slice.workload.counting_s();
  whole_.add(summary, counting_s);
  metrics_.target = slice.workload.label;
  metrics_.machine = slice.machine;
  metrics_.elapsed_s = at_s;
  metrics_.warnings = all_warnings(slice, summary).size();
  metrics_.totals = whole_.totals();
  metrics_.parts.clear();
  parts_.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts_[i].add(summarise(parts[i].measurement, metrics), counting_s);
    metrics_.parts.push_back({parts[i].label, parts_[i].totals()});
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
