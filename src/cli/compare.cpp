// `tacho compare`: runs commands in pairs and says how they differ, and how sure that is.
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "cli/failure.hpp"
#include "cli/format_option.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "compare/compare_output.hpp"
#include "compare/options.hpp"
#include "compare/run_blocks.hpp"
#include "compare/saved_runs.hpp"
#include "events/catalogue.hpp"
#include "events/find_data.hpp"
#include "help/option_value.hpp"
#include "measure/plan.hpp"
#include "pmu/choice/asked_groups.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

void declare(CLI::App& compare, CompareOptions& options) {
  CompareRequest& o = options.request;
  compare.add_option("COMMAND", options.commands,
                     "Two commands or more, a text each; or the words of all behind --, with --- "
                     "between the commands");
  compare
      .add_option("-e,--event", o.events,
                  "Events, separated by commas, as for 'tacho stat' (default: those of 'stat')")
      ->allow_extra_args(false)
      ->type_name("EVENTS");
  compare.add_option("-S,--set", o.sets, "A set of events, by name or file")
      ->allow_extra_args(false)
      ->type_name("SET")
      ->check(offers([] { return data_file_names("sets"); }));
  compare
      .add_option("--pmu", o.pmu,
                  fmt::format("What counts: {} (default: auto). simulated:MODEL compares exact "
                              "counts of two simulated runs each, or of ten that differ",
                              fmt::join(pmu_words(), ", ")))
      ->type_name("KIND")
      ->check(offers(pmu_words_with_models));
  compare.add_option("--counters", o.counters, "Pretend that the PMU has N counters")
      ->type_name("N")
      ->transform(decimal(1, 1'000));
  compare.add_option("-r,--runs", options.pairs, "Run exactly N pairs, and judge them once")
      ->type_name("N")
      ->transform(decimal<std::size_t>(1, kMostPairs));
  compare
      .add_option("--looks", options.looks,
                  "Judge after these numbers of pairs, and end when it is decided (default: "
                  "10,20,40,80; the first is later if there are many events)")
      ->allow_extra_args(false)
      ->type_name("N,N…")
      ->delimiter(',')
      ->transform(decimal<std::size_t>(1, kMostPairs));
  compare.add_option("--time", options.seconds, "Begin no pair after S seconds")
      ->type_name("S")
      ->transform(decimal(0.0, 1e6));
  compare
      .add_option("--precision", options.precision,
                  "Go on until the change of the CPU time is known to ± P %, or to the last look")
      ->type_name("P%");
  compare
      .add_option("--gate", options.gates,
                  "A bound that must hold, as in 'cpu<=+3%': status 0 if it is shown to hold, 1 if "
                  "it is shown to be broken, 2 if neither. METRIC is cpu, wall, user, system, "
                  "memory or an event. May be repeated")
      ->allow_extra_args(false)
      ->type_name("GATE");
  compare.add_flag("--control", o.control,
                   "Also run A a second time in each pair, and print what this comparison claims");
  compare
      .add_option("--layout", options.layout,
                  "Memory layout of each run: kernel (default), fixed (no random addresses, "
                  "environments of one size), shuffled (random size; each command also runs "
                  "with a fixed layout, for comparison)")
      ->type_name("LAYOUT")
      ->transform(one_of({"kernel", "fixed", "shuffled"}));
  compare.add_option("--timeout", o.timeout_s, "Kill a run after S seconds and stop")
      ->type_name("S")
      ->transform(decimal(0.001, 1e6));
  compare.add_flag("--ignore-failure", o.ignore_failure,
                   "Compare commands that end with another status than 0");
  compare
      .add_option("--expect-output", options.expected_output,
                  "same: warn if a command prints something else than A")
      ->type_name("same")
      ->transform(one_of({"same"}));
  compare.add_flag("--discard-output", options.discard_output,
                   "Give the commands /dev/null for their output, not a pipe");
  compare.add_flag("--shell", options.shell, "Run each command by /bin/sh");
  compare.add_option("-n,--name", options.names, "Name of a command, in their order")
      ->allow_extra_args(false)
      ->type_name("NAME");
  const auto each = [&](const char* name, std::vector<std::string>& values, const char* type,
                        const char* description) {
    compare.add_option(name, values, description)->type_name(type)->allow_extra_args(false);
  };
  each("--env", options.environment, "NAME=VALUE",
       "Add to the environment. This and the options below are for all commands; B:… is for B "
       "alone");
  each("--cwd", options.directories, "DIR", "Working directory");
  each("--input", options.inputs, "FILE", "Standard input (default: /dev/null)");
  each("--setup", options.setups, "CMD", "For a shell: run once for each command, before all runs");
  each("--prepare", options.prepares, "CMD", "For a shell: run before each run, not measured");
  each("--cleanup", options.cleanups, "CMD", "For a shell: run after each run, not measured");
  compare
      .add_option("--sweep", options.sweep,
                  "Run one command with several values, and print how its cost grows: --sweep "
                  "'n=100,200,400' 'COMMAND {n}'")
      ->type_name("NAME=VALUES");
  compare.add_option("--save", o.save, "Keep all runs in this file, as JSON")->type_name("FILE");
  compare
      .add_option(
          "--against", o.against,
          "Compare with the first command of this saved file, which then is A. Each command "
          "runs 20 times, or -r N. Two saved files: tacho compare a.json b.json")
      ->type_name("FILE");
  compare.add_option("--html", o.page, "Also write a page for a browser")->type_name("FILE");
  compare.add_option("-o,--output", o.output, "Write the result here instead of standard output")
      ->type_name("FILE");
  add_format_options(compare, o.format, "Changes as CSV")
      .add_flag("--markdown", o.markdown, "As Markdown, for a comment on a pull request");
}

Result<PairedRuns> run(const CompareRequest& request, Supervisor& supervisor) {
  const Catalogue catalogue;
  const PmuChoice choice = TACHO_TRY(parse_pmu_option(request.pmu));
  const auto pmu = TACHO_TRY(make_pmu(choice, catalogue));
  const AskedGroups asked = TACHO_TRY(asked_groups(*pmu, choice, request.events, request.sets));
  const Plan plan = make_plan(*pmu, asked.groups, request.counters);
  const NumberStyle style = NumberStyle::of_environment();
  std::function<void(const PairProgress&)> progress;
  if (::isatty(STDERR_FILENO) != 0)
    progress = [&style](const PairProgress& now) { say_progress(progress_text(now, style)); };
  auto runs = run_blocks(request, *pmu, supervisor, plan, notices(), progress);
  say_progress("");
  return runs;
}

// Writes the result. Returns the status of the gates, unless a write fails.
int finish(CompareOutput& output, PairedRuns runs) {
  auto status = output.finish(std::move(runs));
  return status ? *status : fail(status.error());
}

// Compares two saved files: nothing runs.
int compare_files(const CompareRequest& request, const std::vector<std::string>& files) {
  auto output = CompareOutput::open(request, TACHO_VERSION_STRING, notices());
  if (!output) return fail(output.error());
  const auto before = read_saved_runs(files.front());
  if (!before) return fail(before.error());
  auto after = read_saved_runs(files.back());
  if (!after) return fail(after.error());
  return finish(*output, put_beside(*before, first_command(*std::move(after))));
}

int run_compare(CompareOptions& options) {
  options.simulated = simulated_model(options.request.pmu).has_value();
  const auto request = request_of(options);
  if (!request) return fail(request.error());
  if (!request->files.empty()) return compare_files(*request, request->files);
  std::optional<PairedRuns> baseline;
  if (!request->against.empty()) {
    auto saved = read_saved_runs(request->against);
    if (!saved) return fail(saved.error());
    baseline = std::move(*saved);
  }
  auto output = CompareOutput::open(*request, TACHO_VERSION_STRING, notices());
  if (!output) return fail(output.error());
  const auto supervisor = Supervisor::create();
  if (!supervisor) return fail(supervisor.error());
  auto runs = run(*request, **supervisor);
  if (!runs) return fail(runs.error(), exit_status_of_launch(runs.error().code));
  const bool interrupted = runs->stopped == Stopped::signal;
  if (baseline) runs = put_beside(*baseline, *runs);
  const int status = finish(*output, *std::move(runs));
  if (!interrupted || status == kOwnFailure) return status;
  return 128 + (*supervisor)->interrupted_by().value_or(0);
}

}  // namespace

void add_compare(CLI::App& program, const std::vector<std::string>&, int& status) {
  CLI::App* added =
      program.add_subcommand("compare", "Compare commands: which takes less, and how sure is that");
  added->footer(
      "tacho compare './old 400' './new 400'      run pairs until it is decided\n"
      "tacho compare -- ./old 400 --- ./new 400      the same, without quotes\n"
      "Exit status: 0; with --gate 1 if a gate is broken, 2 if one is undecided; 128+N when signal "
      "N ended it; 125 when tacho failed or a command failed; 126 or 127 when a command can't be "
      "run or found.");
  auto options = std::make_shared<CompareOptions>();
  declare(*added, *options);
  added->callback([options, &status] { status = run_compare(*options); });
}

}  // namespace tacho
