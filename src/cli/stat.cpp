// tacho stat: launches a workload (or attaches to one), counts events, reports.
#include <fmt/format.h>
#include <sys/random.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "cli/data_files.hpp"
#include "cli/native_run.hpp"
#include "cli/pmu_choice.hpp"
#include "cli/say.hpp"
#include "cli/stat_options.hpp"
#include "cli/stat_output.hpp"
#include "cli/subcommands.hpp"
#include "events/catalogue.hpp"
#include "measure/measure.hpp"
#include "pmu/choose.hpp"

namespace tacho {
namespace {

struct Wanted {
  std::vector<std::string> lists;  // of events
  std::vector<Metric> metrics;
};

Result<Wanted> what_is_wanted(const StatOptions& options) {
  auto known = known_metrics();
  if (!known) return std::unexpected(known.error());
  Wanted wanted{.lists = options.events, .metrics = {}};
  std::vector<std::string> sets = options.sets;
  if (sets.empty() && options.events.empty()) sets = {"default"};
  for (const std::string& name : sets) {
    auto set = find_set(name, *known);
    if (!set) return std::unexpected(set.error());
    wanted.lists.insert(wanted.lists.end(), set->events.begin(), set->events.end());
    wanted.metrics.insert(wanted.metrics.end(), set->metrics.begin(), set->metrics.end());
  }
  // Events of the user's own choice give every metric that they can.
  if (!options.events.empty())
    for (const Metric& metric : *known)
      if (std::ranges::find(wanted.metrics, metric.name, &Metric::name) == wanted.metrics.end())
        wanted.metrics.push_back(metric);
  return wanted;
}

// An event asked for twice (by two sets, say) is counted once.
Result<std::vector<EventGroup>> resolve(const Pmu& pmu, const std::vector<std::string>& lists) {
  std::vector<EventGroup> groups;
  std::vector<std::string> seen;
  for (const std::string& list : lists) {
    auto split = split_events(list);
    if (!split) return std::unexpected(split.error());
    for (const std::vector<std::string>& specs : *split) {
      EventGroup group;
      for (const std::string& spec : specs) {
        auto event = pmu.resolve(spec);
        if (!event) return std::unexpected(event.error());
        if (std::ranges::find(seen, event->name) != seen.end()) continue;
        seen.push_back(event->name);
        group.push_back(std::move(*event));
      }
      if (!group.empty()) groups.push_back(std::move(group));
    }
  }
  return groups;
}

MeasureRequest request_of(const StatOptions& options) {
  const auto milliseconds = [](double ms) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6));
  };
  MeasureRequest request;
  request.command = options.command;
  request.pid = options.pid;
  request.every_cpu = options.every_cpu;
  request.per_thread = options.per_thread;
  request.longest_period = milliseconds(options.period_ms);
  if (options.interval_ms) request.interval = milliseconds(*options.interval_ms);
  (void)::getrandom(&request.seed, sizeof request.seed, 0);  // any seed will do
  return request;
}

void warn_of_restriction(Measurement& m, const Capabilities& pmu) {
  const bool touched = std::ranges::any_of(m.events, [](const CountedEvent& event) {
    return (event.duty == Duty::always || event.duty == Duty::turned) && event.narrowed;
  });
  if (touched)
    m.warnings.push_back(
        fmt::format("kernel mode is not counted ({}): sudo sysctl kernel.perf_event_paranoid=1, or "
                    "run tacho as root or "
                    "with CAP_PERFMON",
                    pmu.restriction));
}

int exit_status_of_launch(int code) {
  constexpr std::array kCannotRun = {EACCES,  ENOEXEC,      EISDIR, ENOTDIR, ELOOP,
                                     ETXTBSY, ENAMETOOLONG, E2BIG,  ELIBBAD, EINVAL};
  if (code == ENOENT) return 127;
  return std::ranges::find(kCannotRun, code) != kCannotRun.end() ? 126 : kOwnFailure;
}

// The software PMU is of use where a command wanted hardware events, and the machine has none.
std::string advice(const StatOptions& options, const Plan& plan, const Capabilities& pmu) {
  const auto asked = std::span(plan.events).first(plan.asked);
  const bool wanted = std::ranges::find(asked, Domain::core, &Event::domain) != asked.end();
  const bool launched = !options.pid && !options.every_cpu;
  if (!wanted || !launched || options.pmu != "auto" || pmu.kind != "software") return {};
  return "A simulated processor can count instead: tacho stat --pmu simulated -- COMMAND";
}

int fail(const Error& error, int status = kOwnFailure) {
  say_error(error);
  return status;
}

int run(const StatOptions& options) {
  if (auto sane = check(options); !sane) return fail(sane.error());
  const Catalogue catalogue;
  auto choice = pmu_choice(options.pmu);
  if (!choice) return fail(choice.error());
  auto pmu = choose_pmu(*choice, catalogue);
  if (!pmu) return fail(pmu.error());
  auto wanted = what_is_wanted(options);
  if (!wanted) return fail(wanted.error());
  auto groups = resolve(**pmu, wanted->lists);
  if (!groups) return fail(groups.error());
  auto output = StatOutput::open(options);
  if (!output) return fail(output.error());
  auto supervisor = Supervisor::create();
  if (!supervisor) return fail(supervisor.error());

  StatReport report;
  if (options.with_native) {
    auto native = run_natively(options, take_software_events(*groups), wanted->metrics, catalogue,
                               **supervisor);
    if (!native) return fail(native.error(), exit_status_of_launch(native.error().code));
    const int status = native->measurement.workload.exit_code;
    if ((*supervisor)->interrupted())
      return fail({.what = "a signal ended the native run: nothing was simulated", .remedy = ""},
                  status);
    report.native = std::move(*native);
  }
  const Plan plan = make_plan(**pmu, *groups, options.counters);
  const Listener listener = output->listener(wanted->metrics);
  std::vector<Measurement> runs;
  for (int i = 0; i < options.repeats; ++i) {
    if (options.repeats > 1) say_progress(fmt::format("run {} of {}", i + 1, options.repeats));
    auto measured = measure(**pmu, **supervisor, plan, request_of(options), listener);
    if (options.repeats > 1) say_progress("");
    if (!measured) return fail(measured.error(), exit_status_of_launch(measured.error().code));
    warn_of_restriction(measured->whole, (*pmu)->capabilities());
    for (const Measured::Part& part : measured->parts)
      report.parts.push_back({part.label, summarise(part.measurement, wanted->metrics)});
    runs.push_back(std::move(measured->whole));
    // A signal that ended the run was meant for tacho, so it ends the repeats too.
    if (runs.back().workload.signal || (*supervisor)->interrupted()) break;
  }
  report.version = TACHO_VERSION;
  report.repeats = runs.size();
  for (const Measurement& m : runs) report.elapsed.push_back(m.workload.elapsed_s);
  report.summary = runs.size() == 1 ? summarise(runs.front(), wanted->metrics)
                                    : summarise_repeats(runs, wanted->metrics);
  // Of several runs, the first that failed tells.
  const auto failed =
      std::ranges::find_if(runs, [](const Measurement& m) { return m.workload.exit_code != 0; });
  const int status = failed == runs.end() ? 0 : failed->workload.exit_code;
  report.measurement = std::move(runs.back());
  report.advice = advice(options, plan, (*pmu)->capabilities());
  return output->finish(report) ? status : kOwnFailure;
}

}  // namespace

void add_stat(CLI::App& program, const std::vector<std::string>& command, int& status) {
  CLI::App* stat = program.add_subcommand("stat", "Count events while a command runs");
  stat->footer(
      "tacho stat [OPTIONS] [--] COMMAND [ARGUMENTS]      launch a command and count it\n"
      "tacho stat [OPTIONS] -p PID | -a [-- COMMAND]      attach until the command, the process "
      "or Ctrl-C ends it");
  stat->allow_extras();  // marks it as one that takes a command; main splits that off
  auto options = std::make_shared<StatOptions>();
  declare(*stat, *options);
  stat->callback([stat, options, &command, &status] {
    if (!stat->remaining().empty()) throw CLI::ExtrasError(stat->remaining());
    options->command = command;
    status = run(*options);
  });
}

}  // namespace tacho
