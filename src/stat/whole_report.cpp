#include "stat/whole_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "estimate/summarise.hpp"
#include "pmu/choice/make_pmu.hpp"

namespace tacho {

PartKind kind_of_parts(const StatRequest& request) {
  if (request.per_thread) return PartKind::thread;
  if (request.counts_cgroups()) return PartKind::cgroup;
  if (!request.per) return PartKind::none;
  switch (*request.per) {
    case CpuPart::cpu:
      break;
    case CpuPart::core:
      return PartKind::core;
    case CpuPart::die:
      return PartKind::die;
    case CpuPart::socket:
      return PartKind::socket;
    case CpuPart::node:
      return PartKind::node;
  }
  return PartKind::cpu;
}

std::vector<StatReport::Part> summarise_parts(std::span<const Measured::Part> parts,
                                              std::span<const Metric> metrics) {
  std::vector<StatReport::Part> summarised;
  for (const Measured::Part& part : parts)
    summarised.push_back({part.label, summarise(part.measurement, metrics), part.cpus});
  return summarised;
}

int put_together(std::vector<Measurement> runs, const std::vector<Metric>& metrics,
                 StatReport& report) {
  report.repeats = runs.size();
  for (const Measurement& m : runs) {
    report.elapsed.push_back(m.workload.elapsed_s);
    if (m.workload.counted_s) report.counted.push_back(*m.workload.counted_s);
  }
  report.summary =
      runs.size() == 1 ? summarise(runs.front(), metrics) : summarise_repeats(runs, metrics);
  const auto fails = [](const Measurement& m) { return !m.workload.ended_well(); };
  const auto failed = std::ranges::find_if(runs, fails);
  const int status = failed == runs.end() ? 0 : failed->workload.exit_code;
  const auto failures = std::ranges::count_if(runs, fails);
  average_usage(runs, runs.back().workload);
  report.measurement = std::move(runs.back());
  if (report.repeats > 1 && failures > 0)
    report.measurement.warnings.push_back(
        fmt::format("{} of {} runs failed, the first of them with status {}; the means are of all",
                    failures, report.repeats, status));
  return status;
}

std::string advice(const StatRequest& request, const Plan& plan, const Capabilities& pmu) {
  const auto asked = std::span(plan.events).first(plan.asked);
  const bool wanted = std::ranges::find(asked, Domain::core, &Event::domain) != asked.end();
  const bool launched = request.counts_command();
  if (!wanted || !launched || request.pmu != "auto" || pmu.kind != PmuKind::software) return {};
  const bool rows = request.has_rows();
  if (registers_are_open())
    return fmt::format(
        "The core's registers may count instead, with the command kept to one CPU: {} COMMAND",
        rows ? "rpistat --pmu arm-registers" : "tacho stat --pmu arm-registers --");
  return fmt::format("A simulated processor can count instead: {} COMMAND",
                     rows ? "rpistat --pmu simulated:arm1176" : "tacho stat --pmu simulated --");
}

}  // namespace tacho
