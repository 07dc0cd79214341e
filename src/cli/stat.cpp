// tacho stat: launches a workload, or attaches to one, counts events and prints the report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "cli/failure.hpp"
#include "cli/launching.hpp"
#include "cli/say.hpp"
#include "cli/stat_options.hpp"
#include "cli/subcommands.hpp"
#include "events/catalogue.hpp"
#include "measure/fill_measurement.hpp"
#include "measure/measure.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "regions/region_file.hpp"
#include "simulation/refused_program.hpp"
#include "simulation/simulator_launch.hpp"
#include "stat/asked_events.hpp"
#include "stat/measure_request.hpp"
#include "stat/native_run.hpp"
#include "stat/plan_text.hpp"
#include "stat/standard_input.hpp"
#include "stat/stat_output.hpp"
#include "stat/whole_report.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

// Whether the simulator will run the command. Asked before a native run, which comes first.
Result<void> can_simulate(const std::vector<std::string>& command) {
  const Simulator simulator = TACHO_TRY(find_simulator());
  return check_runs_natively_too(command.front(), simulator.library);
}

}  // namespace

int run_stat(const StatOptions& options) {
  auto asked_for = request_of(options);
  if (!asked_for) return fail(asked_for.error());
  StatRequest request = std::move(*asked_for);
  const Catalogue catalogue;
  auto choice = parse_pmu_option(request.pmu);
  if (!choice) return fail(choice.error());
  choice->launches = request.counts_command();
  auto pmu = make_pmu(*choice, catalogue);
  if (!pmu) return fail(pmu.error());
  auto asked = asked_events(**pmu, *choice, request);
  if (!asked) return fail(asked.error());
  const std::vector<Metric>& metrics = asked->metrics.metrics();
  auto output = StatOutput::open(request, TACHO_VERSION_STRING, std::move(asked->rows), notices());
  if (!output) return fail(output.error());
  std::optional<RegionFile> regions;
  if (request.regions) {
    auto created = RegionFile::create();
    if (!created) return fail(created.error());
    regions.emplace(std::move(*created));
  }
  const auto cgroups = open_groups(request);
  if (!cgroups) return fail(cgroups.error());
  const auto control = open_control(request.part);
  if (!control) return fail(control.error());
  MeasureRequest wanted = measure_request(request, regions, control->get(), *cgroups);
  auto supervisor = Supervisor::create();
  if (!supervisor) return fail(supervisor.error());

  if (request.syncs) ::sync();
  StatReport report;
  StandardInput input;
  if (request.with_native) {
    if (auto runs = can_simulate(request.command); !runs) return fail(runs.error());
    asked->metrics.complete();
    auto native = run_natively(request.command, take_software_events(asked->groups), metrics,
                               catalogue, **supervisor);
    if (!native) return fail(native.error(), exit_status_of_launch(native.error().code));
    const int status = native->measurement.workload.exit_code;
    if ((*supervisor)->interrupted())
      return fail({.what = "a signal ended the native run: nothing was simulated", .remedy = ""},
                  status);
    report.native = std::move(*native);
    input.begin_again();
  }
  const Plan plan = make_plan(**pmu, asked->groups, request.counters);
  // The first turn is due a millisecond after the launch, and is not to wait for a file.
  if (!plan.sets.empty()) asked->metrics.complete();
  if (auto drawn = output->check_plot(blank_measurement(plan, plan.refused)); !drawn)
    return fail(drawn.error());
  Listener listener = output->listener(asked->metrics);
  listener.simulated = say_simulated;
  std::vector<Measurement> runs;
  std::optional<int> cut;  // exit status of a run that a signal ended: other runs do not tell of it
  for (int i = 0; i < request.repeats; ++i) {
    if (i > 0) input.begin_again();
    if (request.repeats > 1) say_progress(fmt::format("run {} of {}", i + 1, request.repeats));
    wanted.seed = drawn_seed();
    auto measured = measure(**pmu, **supervisor, plan, wanted, listener);
    if (request.repeats > 1) say_progress("");
    if (!measured) return fail(measured.error(), exit_status_of_launch(measured.error().code));
    report.parts = summarise_parts(measured->parts, metrics);
    runs.push_back(std::move(measured->whole));
    // A signal that ended the run was meant for tacho, so it ends the repeats too.
    const Workload& ended = runs.back().workload;
    if ((!ended.signal || ended.ended_well()) && !(*supervisor)->interrupted()) continue;
    if (i > 0) {
      cut = ended.exit_code;
      runs.pop_back();
    }
    break;
  }
  report.version = TACHO_VERSION_STRING;
  report.kind_of_parts = kind_of_parts(request);
  const std::size_t made = runs.size();
  const int status = put_together(std::move(runs), metrics, report);
  if (const auto& wrong = asked->metrics.error())
    report.measurement.warnings.push_back(
        fmt::format("no metrics: {} ({})", wrong->what, wrong->remedy));
  if (auto nested = warning_of_nesting(*cgroups))
    report.measurement.warnings.push_back(std::move(*nested));
  std::ranges::move(warnings_of_removal(*cgroups), std::back_inserter(report.measurement.warnings));
  if (made < static_cast<std::size_t>(request.repeats))
    report.measurement.warnings.push_back(
        cut ? fmt::format("{} of {} runs were made; a signal ended the next one, which is left out",
                          made, request.repeats)
            : fmt::format("a signal ended the first of {} runs", request.repeats));
  if (input.ran_dry())
    report.measurement.warnings.emplace_back(
        "standard input, a pipe, came to its end before the last run: what one run read of it, "
        "those after it did not find (give them a file: tacho stat ... < FILE)");
  if (regions) {
    auto told = regions->read();
    if (!told) report.measurement.warnings.push_back(told.error().what);
    report.regions = told ? std::move(*told) : Regions();
  }
  if (request.verbose) report.plan = plan_text(plan);
  report.advice = advice(request, plan, (*pmu)->capabilities());
  return output->finish(report) ? cut.value_or(status) : kOwnFailure;
}

void add_stat(CLI::App& program, const std::vector<std::string>& command, int& status) {
  constexpr Launching kWhat{
      "stat", "Count events while a command runs",
      "tacho stat [OPTIONS] [--] COMMAND [ARGUMENTS]      launch a command and count it\n"
      "tacho stat [OPTIONS] -p PID | -a [-- COMMAND]      attach until the command, the process "
      "or Ctrl-C ends it"};
  add_launching<StatOptions>(program, kWhat, command, status, run_stat);
}

}  // namespace tacho
