// `tacho compare`: runs commands in pairs and says how they differ, and how sure that is.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "cli/compare_options.hpp"
#include "cli/failure.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "compare/change_text.hpp"
#include "compare/report.hpp"
#include "compare/run_blocks.hpp"
#include "compare/saved_runs.hpp"
#include "events/catalogue.hpp"
#include "measure/plan.hpp"
#include "pmu/choice/asked_groups.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "report/output.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

// The estimate so far, and the time that is left to the next look.
void show(const Progress& progress, const NumberStyle& style) {
  const ComparedRuns& runs = progress.runs;
  std::string text = fmt::format("pair {} of {} to {}", runs.blocks, progress.next_look,
                                 progress.last_look);
  for (const MetricChange& change : judge(runs))
    if (change.metric == runs.primary && runs.members[change.member].role == Member::Role::compared)
      text += fmt::format("; {}: {} {}", shown_name(runs, change.member),
                          change_of(change, runs.metrics[change.metric], style),
                          range_of(change, runs.metrics[change.metric], style));
  const double each = progress.seconds / static_cast<double>(runs.blocks);
  const auto left = static_cast<double>(progress.next_look - runs.blocks);
  say_progress(fmt::format("{}; {:.0f} s to the next look", text, each * left));
}

std::string written_as(const CompareReport& report, const CompareRequest& request,
                       const NumberStyle& style) {
  if (request.markdown) return to_markdown(report, style);
  switch (request.format) {
    case Format::json:
      return to_json(report);
    case Format::csv:
      return to_csv(report);
    case Format::text:
      break;
  }
  return to_text(report, style);
}

// The files of the result. They are opened before anything runs.
struct Outputs {
  Output result;
  std::optional<Output> saved;
};

Result<Outputs> open_outputs(const CompareRequest& request) {
  Outputs outputs{
      .result = TACHO_TRY(Output::to_file(request.output.empty() ? "-" : request.output)),
      .saved = {}};
  if (!request.save.empty()) outputs.saved = TACHO_TRY(Output::to_file(request.save));
  return outputs;
}

Result<ComparedRuns> run(const CompareRequest& request, Supervisor& supervisor) {
  const Catalogue catalogue;
  const PmuChoice choice = TACHO_TRY(parse_pmu_option(request.pmu));
  const auto pmu = TACHO_TRY(make_pmu(choice, catalogue));
  const AskedGroups asked = TACHO_TRY(asked_groups(*pmu, choice, request.events, request.sets));
  const Plan plan = make_plan(*pmu, asked.groups, request.counters);
  const NumberStyle style = NumberStyle::of_environment();
  std::function<void(const Progress&)> progress;
  if (::isatty(STDERR_FILENO) != 0)
    progress = [&style](const Progress& now) { show(now, style); };
  auto runs = run_blocks(request, *pmu, supervisor, plan, {say_line, say_warning, say_error}, progress);
  say_progress("");
  return runs;
}

// Writes the report and the file to save. Returns the status, which is that of the gates unless a
// write fails.
int finish(const CompareRequest& request, Outputs& outputs, ComparedRuns runs) {
  const CompareReport report = report_of(request, std::move(runs), TACHO_VERSION_STRING);
  int status = gate_status(report.gates);
  if (outputs.saved)
    if (auto saved = outputs.saved->write(to_json(report)); !saved) status = fail(saved.error());
  const std::string text = written_as(report, request, NumberStyle::of_environment());
  if (auto written = outputs.result.write(text); !written) return fail(written.error());
  return status;
}

// Compares two saved files: nothing runs.
int compare_files(const CompareRequest& request, const std::vector<std::string>& files) {
  auto outputs = open_outputs(request);
  if (!outputs) return fail(outputs.error());
  const auto before = read_saved_runs(files.front());
  if (!before) return fail(before.error());
  auto after = read_saved_runs(files.back());
  if (!after) return fail(after.error());
  return finish(request, *outputs, put_beside(*before, first_command(*std::move(after))));
}

int run_compare(const CompareOptions& options) {
  const auto request = request_of(options);
  if (!request) return fail(request.error());
  if (!request->files.empty()) return compare_files(*request, request->files);
  std::optional<ComparedRuns> baseline;
  if (!request->against.empty()) {
    auto saved = read_saved_runs(request->against);
    if (!saved) return fail(saved.error());
    baseline = std::move(*saved);
  }
  auto outputs = open_outputs(*request);
  if (!outputs) return fail(outputs.error());
  const auto supervisor = Supervisor::create();
  if (!supervisor) return fail(supervisor.error());
  auto runs = run(*request, **supervisor);
  if (!runs) return fail(runs.error(), exit_status_of_launch(runs.error().code));
  const bool interrupted = runs->stopped == Stopped::signal;
  if (baseline) runs = put_beside(*baseline, *runs);
  const int status = finish(*request, *outputs, *std::move(runs));
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
