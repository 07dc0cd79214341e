// `tacho report` shows where the samples of a recording fell.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/format_option.hpp"
#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "help/option_value.hpp"
#include "locate/named_recordings.hpp"
#include "locate/recording_files.hpp"
#include "page/page_output.hpp"
#include "profile/check_report_request.hpp"
#include "profile/compose_report.hpp"
#include "report/pager.hpp"
#include "report/terminal.hpp"
#include "tacho/version.h"
#include "wall/report/wall_report.hpp"

namespace tacho {
namespace {

struct ReportOptions {
  ReportRequest request;  // without the rows' kind
  std::optional<std::string> sort;
  std::string output, page;
  bool wall = false, off_cpu = false;
  bool full_names = false;  // lines may be longer than the terminal is wide
};

ReportKind kind_of(const ReportRequest& request) {
  if (request.viewer == Viewer::pprof) return ReportKind::binary;
  return request.is_text() ? ReportKind::text : ReportKind::data;
}

Result<void> run_report(const ReportOptions& options) {
  ReportRequest request = options.request;
  request.sort = sort_by(options.sort.value_or("function"));
  expand_runs(request.files, request.compare);
  if (options.wall) request.reading.view = WallView::together;
  if (options.off_cpu) request.reading.view = WallView::off_cpu;
  TACHO_TRY(check(request, options.sort));
  TACHO_TRY(check_recordings(request.files, request.compare,
                             options.page.empty() ? options.output : options.page));
  if (request.viewer == Viewer::pprof && options.output.empty() && ::isatty(STDOUT_FILENO) != 0)
    return failure("--pprof is not written to a terminal, because it is not text",
                   "give a file: -o profile.pb.gz");
  const bool is_page = request.viewer == Viewer::browser;
  const bool of_threads =
      (options.wall || options.off_cpu) && (request.shows_rows() || is_page) && !options.sort;
  ComposedReport report = (of_threads ? compose_wall_report : compose_report)(
      request, report_style(options.output, options.full_names), TACHO_VERSION_STRING);
  say_warnings(report.warnings);
  const std::string text = TACHO_TRY(std::move(report.text));
  if (report.page) return write_page(options.page, *report.page, notices());
  if (report.writer) return deliver(report.writer, options.output);
  return deliver(text, options.output, kind_of(request));
}

void add_input_options(CLI::App& report, ReportOptions& options) {
  ReportRequest& request = options.request;
  add_recording_files(report, request.files);
  add_symbol_options(report, request.reading);
  report
      .add_option("-s,--sort", options.sort,
                  "module, function (the default), line, instruction; comm, pid, tid, cpu")
      ->transform(one_of(sort_words()))
      ->type_name("BY");
}

void add_output_options(CLI::App& report, ReportOptions& options) {
  CLI::Option_group& formats = add_format_options(report, options.request.format);
  for (const ViewerOption& option : kViewerOptions)
    formats.add_flag_callback(
        option.name, [&options, viewer = option.viewer] { options.request.viewer = viewer; },
        option.description);
  CLI::Option* page = formats
                          .add_option_function<std::string>(
                              "--html",
                              [&options](const std::string& file) {
                                options.page = file;
                                options.request.viewer = Viewer::browser;
                              },
                              "A page for a browser: flame graph, timeline, functions, code")
                          ->type_name("FILE");
  report.add_flag_callback(
      "--no-source", [&options] { options.request.source = false; },
      "With --html: leave out source lines and instructions");
  add_full_names(report, options.full_names);
  report.add_option("-o,--output", options.output, "Write here")->type_name("FILE")->excludes(page);
}

// What is shown instead of rows, and the order of rows. All of these exclude --compare.
std::array<CLI::Option*, 4> add_call_options(CLI::App& report, ReportRequest& request) {
  CLI::Option* callers =
      report.add_option("--callers", request.callers, "The callers of a function")
          ->type_name("FUNCTION");
  CLI::Option* callees =
      report.add_option("--callees", request.callees, "The functions that a function called")
          ->type_name("FUNCTION")
          ->excludes(callers);
  CLI::Option* tree =
      report.add_flag("--tree", request.tree, "The calls as a tree, from the outermost functions")
          ->excludes(callers)
          ->excludes(callees);
  report
      .add_option("--percent-limit", request.least_percent,
                  "With --tree: calls with at least P % of the samples (text: 0.5)")
      ->type_name("P")
      ->needs(tree)
      ->transform(decimal(0.0, 100.0));
  CLI::Option* children = report.add_flag("--children", request.by_total,
                                          "Largest total first: with what the rows called");
  return {callers, callees, tree, children};
}

void add_wait_options(CLI::App& report, ReportOptions& options) {
  CLI::Option* off_cpu =
      report.add_flag("--off-cpu", options.off_cpu,
                      "Show when threads waited, and for what (record --off-cpu, --wall)");
  report
      .add_flag("--wall", options.wall,
                "Show where the time of threads went: running, ready, waiting (record --wall)")
      ->excludes(off_cpu);
}

void add_row_options(CLI::App& report, ReportRequest& request) {
  CLI::Option* with = report.add_flag_callback(
      "--inline", [&request] { request.inlined = true; },
      "Show functions that were inlined as functions of their own. Default: in viewers' formats");
  report
      .add_flag_callback(
          "--no-inline", [&request] { request.inlined = false; }, "Do not show them")
      ->excludes(with);
  report.add_option("--limit", request.limit, "At most N rows; 0: all (text: 30; of --wall 12)")
      ->type_name("N")
      ->transform(decimal(0, 1'000'000'000));
}

void add_report_options(CLI::App* report, const std::shared_ptr<ReportOptions>& options) {
  add_input_options(*report, *options);
  add_output_options(*report, *options);
  const auto alone = add_call_options(*report, options->request);
  CLI::Option* compare =
      report
          ->add_option("--compare", options->request.compare,
                       "Show what changed from the recordings of -i to these, made after a change. "
                       "At least 6 of each show which rows changed significantly")
          ->type_name("OTHER...");
  for (CLI::Option* option : alone) compare->excludes(option);
  add_row_options(*report, options->request);
  add_wait_options(*report, *options);
}

}  // namespace

void add_report(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  add_reading<ReportOptions>(
      program, "report", "Show where the samples of a recording fell: modules, functions, lines",
      status, add_report_options, run_report);
}

}  // namespace tacho
