// Hand-made reports that the tests of the formats share, and a reader of CSV that is independent
// of the writer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stat/report.hpp"

namespace tacho::samples {

inline EventSummary counted(std::string name, double value, std::string unit = "") {
  EventSummary event;
  event.name = std::move(name);
  event.unit = std::move(unit);
  event.count = event.estimate = value;
  event.ci95 = event.rate_ci95 = 0;
  return event;
}

inline EventSummary estimated(std::string name, double value, std::optional<double> ci95,
                              double share, std::size_t periods) {
  EventSummary event = counted(std::move(name), value);
  event.status = Status::estimated;
  event.count = value * share;
  event.ci95 = ci95;
  event.rate_ci95.reset();
  event.share = share;
  event.periods = periods;
  return event;
}

inline EventSummary unsupported(std::string name) {
  EventSummary event;
  event.name = std::move(name);
  event.status = Status::unsupported;
  event.reason = "no hardware PMU (ENOENT)";
  event.remedy = "run on bare metal, or pass the PMU on";
  return event;
}

inline MetricSummary metric(std::string name, std::string unit, std::optional<double> value,
                            std::optional<double> ci95, std::string reason = "") {
  return {std::move(name), std::move(unit), value, ci95, std::move(reason)};
}

// Software events on a machine without a PMU.
inline StatReport software() {
  StatReport report;
  report.version = "1.2.3";
  Measurement& measurement = report.measurement;
  measurement.workload.command = {"./naive", "500"};
  measurement.workload.label = "./naive 500";
  measurement.workload.elapsed_s = 1.25;
  measurement.workload.user_s = 1.22;
  measurement.workload.system_s = 0.003;
  measurement.workload.max_rss_bytes = 6500000;
  measurement.workload.has_usage = true;
  measurement.machine.pmu_kind = PmuKind::software;
  measurement.machine.pmu_name = "software";
  measurement.reference = "task-clock";
  measurement.period_ms = 10;
  report.summary.events = {counted("task-clock", 1.2e9, "ns"), counted("context-switches", 12),
                           counted("page-faults", 24060), unsupported("cycles"),
                           unsupported("instructions")};
  report.summary.metrics = {
      metric("CPI", "cycles per instruction", {}, {}, "needs cycles, which was not counted")};
  return report;
}

// Four sets that took turns on a PMU, with a warning, an event that was seen in no period and one
// with too few periods.
inline StatReport turned() {
  StatReport report = software();
  Measurement& measurement = report.measurement;
  measurement.machine.pmu_kind = PmuKind::hardware;
  measurement.machine.pmu_name = "armv7_cortex_a7";
  measurement.machine.counters = 4;
  measurement.reference = "cycles";
  measurement.sets = 4;
  measurement.periods.resize(169);
  measurement.reached_period_ms = 10.02;
  measurement.turn_cost_us = 41.7;
  measurement.warnings = {"few periods"};
  report.summary.events = {counted("cycles", 11794467561.0),
                           estimated("instructions", 1245571856.4, 14900000, 0.2544, 43),
                           estimated("branch-misses", 1485457, {}, 0.02, 3),
                           estimated("alignment-faults", 0, 0, 0.249, 42)};
  report.summary.events[1].rate_ci95 = 14900000 / measurement.workload.elapsed_s;
  report.summary.events[2].reason = "too few periods for an interval";
  report.summary.metrics = {metric("CPI", "cycles per instruction", 9.4692, 0.021),
                            metric("branch rate", "PTI", 108.653, 1.74),
                            metric("mispredict ratio", "%", 1.098, 0.036),
                            metric("stall ratio", "%", 23.25, {}, "no interval: too few periods")};
  report.summary.warnings = {"the workload has phases", "few periods"};
  return report;
}

// A simulation with two counters, and the native run beside it.
inline StatReport simulated() {
  StatReport report = turned();
  Measurement& measurement = report.measurement;
  measurement.machine = {.pmu_kind = PmuKind::simulated,
                         .pmu_name = "arm1176",
                         .counters = 2,
                         .kernel = {},
                         .architecture = {}};
  measurement.workload.elapsed_s = 16.9;
  measurement.workload.has_usage = false;
  measurement.warnings.clear();
  report.summary = {
      .events = {report.summary.events[0], report.summary.events[1], unsupported("page-faults")},
      .metrics = {},
      .warnings = {}};
  report.summary.events[0].status = Status::simulated;
  report.summary.events[1].truth = 1'240'000'000;
  report.summary.events[1].rate_ci95 = 14900000 / measurement.workload.elapsed_s;
  StatReport native = software();
  native.measurement.warnings = {"kernel mode is not counted"};
  report.native = {std::move(native.measurement), std::move(native.summary)};
  return report;
}

using CsvRow = std::vector<std::string>;

// RFC 4180, with a line feed as the line's end.
inline std::vector<CsvRow> read_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvRow row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back(std::move(row));
      row = CsvRow(1);
    } else {
      row.back() += c;
    }
  }
  return rows;
}

}  // namespace tacho::samples
