// tacho stat: launches a workload (or attaches to one), counts events, reports.
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>

#include "cli/failure.hpp"
#include "cli/launching.hpp"
#include "cli/native_run.hpp"
#include "cli/say.hpp"
#include "cli/standard_input.hpp"
#include "cli/stat_options.hpp"
#include "cli/stat_output.hpp"
#include "cli/subcommands.hpp"
#include "estimate/summarise.hpp"
#include "events/catalogue.hpp"
#include "events/data_directories.hpp"
#include "measure/choose_events.hpp"
#include "measure/fill_measurement.hpp"
#include "measure/measure.hpp"
#include "pmu/choice/choose.hpp"
#include "pmu/choice/event_groups.hpp"
#include "pmu/choice/pmu_choice.hpp"
#include "regions/region_file.hpp"
#include "stat/metric_choice.hpp"

namespace tacho {
namespace {

// The set that stands for no choice of events.
std::string default_set(const PmuChoice& choice) {
  return choice.model && !choice.model->set.empty() ? choice.model->set : "default";
}

Result<std::vector<EventSet>> chosen_sets(const StatOptions& options, const PmuChoice& choice) {
  std::vector<std::string> names = options.sets;
  if (names.empty() && options.events.empty()) names = {default_set(choice)};
  std::vector<EventSet> sets;
  for (const std::string& name : names) {
    auto set = find_set(name);
    if (!set) return std::unexpected(set.error());
    sets.push_back(std::move(*set));
  }
  return sets;
}

MeasureRequest request_of(const StatOptions& options, const std::optional<RegionFile>& regions) {
  const auto milliseconds = [](double ms) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6));
  };
  MeasureRequest request;
  request.command = options.command;
  if (regions) request.environment = {regions->variable()};
  request.pid = options.pid;
  request.every_cpu = options.every_cpu;
  request.parted = options.per_thread || options.per_cpu;
  request.longest_period = milliseconds(options.longest_period_ms());
  if (options.interval_ms) request.interval = milliseconds(*options.interval_ms);
  (void)::getrandom(&request.seed, sizeof request.seed, 0);  // any seed will do
  return request;
}

// The registers or the software PMU are of use where a command wanted hardware events, and the
// kernel can't count them.
std::string advice(const StatOptions& options, const Plan& plan, const Capabilities& pmu) {
  const auto asked = std::span(plan.events).first(plan.asked);
  const bool wanted = std::ranges::find(asked, Domain::core, &Event::domain) != asked.end();
  const bool launched = !options.pid && !options.every_cpu;
  if (!wanted || !launched || options.pmu != "auto" || pmu.kind != PmuKind::software) return {};
  const bool rows = !options.report.empty();
  if (registers_are_open())
    return fmt::format(
        "The core's registers may count instead, with the command kept to one CPU: {} COMMAND",
        rows ? "rpistat --pmu arm-registers" : "tacho stat --pmu arm-registers --");
  return fmt::format("A simulated processor can count instead: {} COMMAND",
                     rows ? "rpistat --pmu simulated:arm1176" : "tacho stat --pmu simulated --");
}

struct Asked {
  std::vector<EventGroup> groups;
  MetricChoice metrics;
  std::optional<RowReport> rows;
};

// The events of the command line, then those of the sets.
Result<Asked> events_asked(Pmu& pmu, const PmuChoice& choice, const StatOptions& options) {
  auto sets = chosen_sets(options, choice);
  if (!sets) return std::unexpected(sets.error());
  std::vector<std::string> lists = options.events;
  std::vector<std::string> places(lists.size());  // of each list: file:line, if it is of a file
  for (const EventSet& set : *sets) {
    lists.insert(lists.end(), set.events.begin(), set.events.end());
    places.insert(places.end(), set.places.begin(), set.places.end());
  }
  auto groups = resolve_groups(pmu, lists, places);
  if (!groups) return std::unexpected(groups.error());
  auto metrics = MetricChoice::of(std::move(*sets), !options.events.empty());
  if (!metrics) return std::unexpected(metrics.error());
  return Asked{std::move(*groups), std::move(*metrics), {}};
}

// What to count: events, or the rows of a report, which also says how unless the options do.
Result<Asked> what_is_asked(Pmu& pmu, const PmuChoice& choice, StatOptions& options) {
  if (options.format() != Format::rows) return events_asked(pmu, choice, options);
  auto layout = find_report(options.report);
  if (!layout) return std::unexpected(layout.error());
  options.period_ms = options.period_ms.value_or(layout->period_ms);
  options.counters = options.counters.value_or(layout->counters);
  ChosenEvents chosen = choose_events(pmu, *layout);
  return Asked{std::move(chosen.groups), {}, RowReport{std::move(*layout), std::move(chosen.rows)}};
}

// The runs as one report; the status, which is that of the first that failed.
int put_together(std::vector<Measurement> runs, const std::vector<Metric>& metrics,
                 StatReport& report) {
  report.repeats = runs.size();
  for (const Measurement& m : runs) report.elapsed.push_back(m.workload.elapsed_s);
  report.summary =
      runs.size() == 1 ? summarise(runs.front(), metrics) : summarise_repeats(runs, metrics);
  const auto fails = [](const Measurement& m) { return m.workload.exit_code != 0; };
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

}  // namespace

int run_stat(StatOptions options) {
  if (auto sane = check(options); !sane) return fail(sane.error());
  const Catalogue catalogue;
  auto choice = pmu_choice(options.pmu);
  if (!choice) return fail(choice.error());
  choice->launches = !options.pid && !options.every_cpu;
  auto pmu = choose_pmu(*choice, catalogue);
  if (!pmu) return fail(pmu.error());
  auto asked = what_is_asked(**pmu, *choice, options);
  if (!asked) return fail(asked.error());
  const std::vector<Metric>& metrics = asked->metrics.metrics();
  auto output = StatOutput::open(options, std::move(asked->rows));
  if (!output) return fail(output.error());
  std::optional<RegionFile> regions;
  if (options.regions) {
    auto created = RegionFile::create();
    if (!created) return fail(created.error());
    regions.emplace(std::move(*created));
  }
  auto supervisor = Supervisor::create();
  if (!supervisor) return fail(supervisor.error());

  StatReport report;
  StandardInput input;
  if (options.with_native) {
    asked->metrics.complete();
    auto native = run_natively(options, take_software_events(asked->groups), metrics, catalogue,
                               **supervisor);
    if (!native) return fail(native.error(), exit_status_of_launch(native.error().code));
    const int status = native->measurement.workload.exit_code;
    if ((*supervisor)->interrupted())
      return fail({.what = "a signal ended the native run: nothing was simulated", .remedy = ""},
                  status);
    report.native = std::move(*native);
    input.begin_again();
  }
  const Plan plan = make_plan(**pmu, asked->groups, options.counters);
  // The first turn is due a millisecond after the launch, and is not to wait for a file.
  if (!plan.sets.empty()) asked->metrics.complete();
  if (auto drawn = output->check_plot(blank_measurement(plan, plan.refused)); !drawn)
    return fail(drawn.error());
  const Listener listener = output->listener(asked->metrics);
  std::vector<Measurement> runs;
  for (int i = 0; i < options.repeats; ++i) {
    if (i > 0) input.begin_again();
    if (options.repeats > 1) say_progress(fmt::format("run {} of {}", i + 1, options.repeats));
    auto measured = measure(**pmu, **supervisor, plan, request_of(options, regions), listener);
    if (options.repeats > 1) say_progress("");
    if (!measured) return fail(measured.error(), exit_status_of_launch(measured.error().code));
    for (const Measured::Part& part : measured->parts)
      report.parts.push_back({part.label, summarise(part.measurement, metrics)});
    runs.push_back(std::move(measured->whole));
    // A signal that ended the run was meant for tacho, so it ends the repeats too.
    if (runs.back().workload.signal || (*supervisor)->interrupted()) break;
  }
  report.version = TACHO_VERSION;
  const int status = put_together(std::move(runs), metrics, report);
  if (const auto& wrong = asked->metrics.error())
    report.measurement.warnings.push_back(
        fmt::format("no metrics: {} ({})", wrong->what, wrong->remedy));
  if (input.ran_dry())
    report.measurement.warnings.emplace_back(
        "standard input, a pipe, came to its end before the last run: what one run read of it, "
        "those after it did not find (give them a file: tacho stat ... < FILE)");
  if (regions) {
    auto told = regions->read();
    if (!told) report.measurement.warnings.push_back(told.error().what);
    report.regions = told ? std::move(*told) : Regions();
  }
  report.advice = advice(options, plan, (*pmu)->capabilities());
  return output->finish(report) ? status : kOwnFailure;
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
