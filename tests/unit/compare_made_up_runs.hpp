// Runs of a comparison that never ran: values in pairs, as a test wants them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/runs.hpp"

namespace tacho {

inline ComparedCommand made_up_command(const std::string& label) {
  ComparedCommand command;
  command.label = label;
  command.words = {"./" + label};
  return command;
}

// A comparison of A and B by their CPU time alone: a pair for each element.
inline PairedRuns made_up_runs(const std::vector<std::pair<double, double>>& cpu_times,
                               double level = 0.05) {
  PairedRuns runs;
  runs.commands = {made_up_command("A"), made_up_command("B")};
  runs.members = {{.command = 0}, {.command = 1}};
  runs.metrics = {{std::string(kCpuTime), "s", {}}};
  runs.machine.pmu_kind = PmuKind::software;
  runs.level = level;
  runs.blocks = cpu_times.size();
  runs.looks = {runs.blocks};
  for (std::size_t i = 0; i < cpu_times.size(); ++i) {
    runs.runs.push_back({.member = 0, .block = i + 1, .values = {cpu_times[i].first}});
    runs.runs.push_back({.member = 1, .block = i + 1, .values = {cpu_times[i].second}});
  }
  return runs;
}

// Adds a metric with these values for A and B.
inline void add_metric(PairedRuns& runs, const std::string& name,
                       const std::vector<std::pair<double, double>>& values) {
  runs.metrics.push_back({name, "", {}});
  for (ComparedRun& run : runs.runs) {
    const auto& [before, after] = values[run.block - 1];
    run.values.push_back(run.member == 0 ? before : after);
  }
}

}  // namespace tacho
