// `tacho stat --csv`: one row for each fact. The column `kind` says which:
//   event    an event;
//   metric   a metric; its value is in the column `estimate`;
//   run      a figure of the workload; it is in the column `estimate`;
//   warning  a warning; its text is in the column `reason`;
//   region   with --regions: `part` is the region, `name` is one of its figures, such as
//            "executions", "ticks" (their total) and "ticks median".
// For other kinds `part` is empty for the whole run, names a thread or CPU, or is "native" for the
// run beside a simulated one. On unequal cores, `pmu` is the core PMU of an event, and `part_of`
// the event that sums several of them up.
#include <initializer_list>

#include "regions/report.hpp"
#include "report/absence.hpp"
#include "report/schema.hpp"
#include "stat/report.hpp"

namespace tacho {
namespace {

struct Fields {
  std::string_view kind = {};
  std::string_view name = {};
  std::string_view status = {};
  std::optional<double> count = {};
  std::optional<double> estimate = {};
  std::optional<double> ci95 = {};
  std::optional<double> minimum = {};
  std::string_view unit = {};
  std::optional<double> share = {};
  std::optional<double> periods = {};
  std::string reason = {};
  std::string remedy = {};
  std::string_view part = {};
  std::optional<double> truth = {};
  std::optional<IntervalEnds> ends = {};
  std::string_view pmu = {};
  std::string_view part_of = {};
};

constexpr std::string_view kHeader =
    "kind,name,status,count,estimate,ci95,minimum,unit,share,periods,reason,remedy,part,truth,low,"
    "high,pmu,part_of\n";

void append(std::string& csv, const Fields& row) {
  const std::initializer_list<std::string> fields = {
      csv_field(row.kind),           csv_field(row.name),      csv_field(row.status),
      csv_number(row.count),         csv_number(row.estimate), csv_number(row.ci95),
      csv_number(row.minimum),       csv_field(row.unit),      csv_number(row.share),
      csv_number(row.periods),       csv_field(row.reason),    csv_field(row.remedy),
      csv_field(row.part),           csv_number(row.truth),    csv_number(low_of(row.ends)),
      csv_number(high_of(row.ends)), csv_field(row.pmu),       csv_field(row.part_of)};
  std::string_view separator;
  for (const std::string& field : fields) {
    (csv += separator) += field;
    separator = ",";
  }
  csv += '\n';
}

void append(std::string& csv, const Summary& summary, std::string_view part) {
  for (const EventSummary& event : summary.events) {
    Fields row{.kind = "event",
               .name = event.name,
               .status = to_string(event.status),
               .unit = event.unit,
               .reason = event.reason,
               .remedy = event.remedy,
               .part = part,
               .pmu = event.pmu,
               .part_of = event.part_of};
    if (is_absent(event)) {
      row.reason = reason_of(event);
      row.remedy = remedy_of(event);
    } else {
      row.count = event.count;
      row.estimate = estimate_of(event);
      row.ci95 = event.ci95;
      row.minimum = event.minimum;
      row.truth = event.truth;
      row.share = event.share;
      row.periods = static_cast<double>(event.periods);
      row.ends = ends_of(event);
    }
    append(csv, row);
  }
  for (const MetricSummary& metric : summary.metrics) {
    append(csv, Fields{.kind = "metric",
                       .name = metric.name,
                       .estimate = metric.value,
                       .ci95 = metric.value ? metric.ci95 : std::nullopt,
                       .unit = metric.unit,
                       .reason = metric.reason,
                       .part = part,
                       .ends = ends95(metric)});
  }
}

void append(std::string& csv, const Workload& workload, const Repeats& elapsed,
            std::string_view time, std::string_view part) {
  const auto run = [&](std::string_view name, std::optional<double> value, std::string_view unit) {
    append(csv, Fields{.kind = "run", .name = name, .estimate = value, .unit = unit, .part = part});
  };
  const auto usage = [&](double value) {
    return workload.has_usage ? std::optional(value) : std::nullopt;
  };
  append(csv, Fields{.kind = "run",
                     .name = time,
                     .estimate = elapsed.mean,
                     .ci95 = elapsed.half_width,
                     .minimum = elapsed.minimum,
                     .unit = "s",
                     .part = part,
                     .ends = ends95(elapsed)});
  run("user_s", usage(workload.user_s), "s");
  run("system_s", usage(workload.system_s), "s");
  run("max_rss_bytes", usage(static_cast<double>(workload.max_rss_bytes)), "bytes");
  run("exit_code", workload.signal ? std::nullopt : std::optional<double>(workload.exit_code), "");
  run("signal", workload.signal, "");
}

void append(std::string& csv, const RegionSummary& region) {
  const std::string part = region.program + ": " + region.name;
  const auto fact = [&](const std::string& name, std::optional<double> value,
                        std::string_view unit) {
    append(csv,
           Fields{.kind = "region", .name = name, .estimate = value, .unit = unit, .part = part});
  };
  fact("processes", static_cast<double>(region.processes), "");
  fact("threads", static_cast<double>(region.threads), "");
  fact("executions", static_cast<double>(region.executions), "");
  fact("recursions", static_cast<double>(region.recursions), "");
  fact("unfinished", static_cast<double>(region.unfinished), "");
  fact("too short", region.too_short ? 1 : 0, "");
  fact("ticks a second", region.clock_hz, "");
  for (const RegionQuantity& quantity : region.quantities) {
    append(csv, Fields{.kind = "region",
                       .name = quantity.name,
                       .status = region_status(quantity),
                       .estimate = quantity.total,
                       .ci95 = quantity.ci95,
                       .minimum = quantity.minimum,
                       .unit = quantity.unit,
                       .share = quantity.share,
                       .reason = quantity.reason,
                       .remedy = quantity.remedy,
                       .part = part,
                       .ends = ends95(quantity)});
    fact(quantity.name + " mean", quantity.mean, quantity.unit);
    fact(quantity.name + " median", quantity.median, quantity.unit);
    fact(quantity.name + " p99", quantity.p99, quantity.unit);
    fact(quantity.name + " cost", quantity.cost, quantity.unit);
  }
}

}  // namespace

std::string to_csv(const StatReport& report) {
  std::string csv(kHeader);
  append(csv, report.summary, "");
  for (const StatReport::Part& part : report.parts) append(csv, part.summary, part.label);
  append(csv, report.measurement.workload, elapsed_of(report),
         report.measurement.machine.simulated() ? "simulated_s" : "elapsed_s", "");
  if (!report.counted.empty())
    append(
        csv,
        Fields{.kind = "run", .name = "counted_s", .estimate = counting_of(report), .unit = "s"});
  append(csv,
         Fields{.kind = "run", .name = "runs", .estimate = static_cast<double>(report.repeats)});
  if (report.native) {
    const Workload& workload = report.native->measurement.workload;
    append(csv, report.native->summary, "native");
    append(csv, workload,
           {.mean = workload.elapsed_s, .minimum = workload.elapsed_s, .half_width = {}},
           "elapsed_s", "native");
    for (const std::string& warning :
         all_warnings(report.native->measurement, report.native->summary))
      append(csv, Fields{.kind = "warning", .reason = warning, .part = "native"});
  }
  if (report.regions)
    for (const RegionSummary& region : together(report.regions->processes)) append(csv, region);
  for (const std::string& warning : all_warnings(report.measurement, report.summary))
    append(csv, Fields{.kind = "warning", .reason = warning});
  for (const std::string& warning : region_warnings(report.regions, report.measurement.workload))
    append(csv, Fields{.kind = "warning", .reason = warning});
  return csv;
}

}  // namespace tacho
