// `tacho stat --json`: schema 1.
#include <algorithm>
#include <iterator>

#include "regions/report.hpp"
#include "report/absence.hpp"
#include "report/schema.hpp"
#include "stat/report.hpp"

namespace tacho {
namespace {

Json json_native(const NativeRun& run) {
  const Workload& workload = run.measurement.workload;
  return {{"elapsed_s", json_number(workload.elapsed_s)},
          {"user_s", json_number(workload.user_s)},
          {"system_s", json_number(workload.system_s)},
          {"max_rss_bytes", workload.max_rss_bytes},
          {"exit", json_exit(workload)},
          {"events", json_events(run.summary)},
          {"metrics", json_metrics(run.summary)},
          {"warnings", json_list(all_warnings(run.measurement, run.summary))}};
}

// One object for each kind of core. `share` is the part of the CPU time on these cores, or null if
// every CPU was counted.
Json json_cores(const Measurement& m) {
  Json cores = Json::array();
  for (const Lane& lane : m.lanes) {
    if (lane.pmu.empty()) continue;
    const bool of_task = !m.workload.every_cpu && lane.enabled_ns > 0;
    cores.push_back({{"pmu", lane.pmu},
                     {"cpus", lane.cpus},
                     {"counters", lane.counters ? Json(*lane.counters) : Json()},
                     {"share", json_number(of_task ? std::optional(lane.share()) : std::nullopt)},
                     {"reference", json_text(lane.reference)}});
  }
  return cores;
}

Json json_cycles_error(const Machine& machine) {
  if (!machine.cycles_error) return {};
  return {{"mean_percent", json_number(machine.cycles_error->mean_percent)},
          {"of", machine.cycles_error->of}};
}

}  // namespace

std::string to_json(const StatReport& report, int indent) {
  const Measurement& measurement = report.measurement;
  const Workload& workload = measurement.workload;
  const Machine& machine = measurement.machine;
  const bool turned = measurement.sets > 0;
  const auto usage = [&](double value) {
    return json_number(workload.has_usage ? std::optional(value) : std::nullopt);
  };
  const auto when_turned = [&](double value) {
    return json_number(turned ? std::optional(value) : std::nullopt);
  };

  // The wall-clock time of a simulated run is the simulator's, not the workload's.
  const bool simulated = machine.simulated();
  const auto in_time = [&](bool of_simulation, std::optional<double> value) {
    return json_number(simulated == of_simulation ? value : std::nullopt);
  };
  const Repeats elapsed = elapsed_of(report);
  Json elapsed_runs = Json::array();
  for (const double run : report.elapsed) elapsed_runs.push_back(json_number(run));
  Json parts = Json::array();
  for (const StatReport::Part& part : report.parts) {
    parts.push_back({{"label", part.label},
                     {"events", json_events(part.summary)},
                     {"metrics", json_metrics(part.summary)},
                     {"warnings", json_list(part.summary.warnings)}});
  }

  Json json;
  json["tacho"] = {{"version", report.version}, {"schema", 1}};
  json["command"] = json_list(workload.command);
  json["exit"] = json_exit(workload);
  json["elapsed_s"] = in_time(false, elapsed.mean);
  json["user_s"] = usage(workload.user_s);
  json["system_s"] = usage(workload.system_s);
  json["max_rss_bytes"] = workload.has_usage ? Json(workload.max_rss_bytes) : Json();
  json["pmu"] = {{"kind", to_string(machine.pmu_kind)},
                 {"name", machine.pmu_name},
                 {"counters", machine.counters ? Json(*machine.counters) : Json()}};
  json["periods"] = period_count(measurement);
  json["period_ms"] = json_number(measurement.period_ms);
  json["events"] = json_events(report.summary);
  json["metrics"] = json_metrics(report.summary);
  std::vector<std::string> warnings = all_warnings(measurement, report.summary);
  std::ranges::copy(region_warnings(report.regions, report.measurement.workload),
                    std::back_inserter(warnings));
  json["warnings"] = json_list(warnings);
  // These keys come after the keys of the schema.
  json["label"] = workload.label;
  json["started"] = workload.started;
  json["machine"] = {
      {"kernel", machine.kernel}, {"architecture", machine.architecture}, {"cpus", machine.cpus}};
  json["runs"] = report.repeats;
  json["elapsed_runs_s"] = simulated ? Json() : elapsed_runs;
  json["elapsed_ci95_s"] = in_time(false, elapsed.half_width);
  json["simulated_s"] = in_time(true, elapsed.mean);
  json["simulated_runs_s"] = simulated ? elapsed_runs : Json();
  json["simulated_ci95_s"] = in_time(true, elapsed.half_width);
  const std::optional<IntervalEnds> ends = ends95(elapsed);
  json["elapsed_low_s"] = in_time(false, low_of(ends));
  json["elapsed_high_s"] = in_time(false, high_of(ends));
  json["simulated_low_s"] = in_time(true, low_of(ends));
  json["simulated_high_s"] = in_time(true, high_of(ends));
  json["reference"] = measurement.reference;
  json["sets"] = measurement.sets;
  json["reached_period_ms"] = when_turned(measurement.reached_period_ms);
  json["turn_cost_us"] = when_turned(measurement.turn_cost_us);
  json["parts"] = std::move(parts);
  json["native"] = report.native ? json_native(*report.native) : Json();
  json["regions"] = json_regions(report.regions);
  json["region_paths"] = json_region_paths(report.regions);
  json["region_processes"] = json_region_processes(report.regions);
  json["counted_s"] =
      json_number(report.counted.empty() ? std::nullopt : std::optional(counting_of(report)));
  json["cycles_error"] = json_cycles_error(machine);
  if (!measurement.lanes.empty()) json["cores"] = json_cores(measurement);
  return written(json, indent);
}

}  // namespace tacho
