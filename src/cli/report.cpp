// `tacho report` shows where the samples of a recording fell.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/format_option.hpp"
#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "help/option_value.hpp"
#include "locate/named_recordings.hpp"
#include "profile/compose_report.hpp"
#include "report/pager.hpp"
#include "report/terminal.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

struct ReportOptions {
  ReportRequest request;  // without the rows' kind
  std::optional<std::string> sort;
  std::string output;
};

struct ViewerOption {
  Viewer viewer;
  const char* name;
  const char* description;
};

constexpr std::array kViewerOptions{
    ViewerOption{Viewer::folded, "--folded", "Call chains, one per line, for flame graphs"},
    ViewerOption{Viewer::pprof, "--pprof", "For pprof: profile.proto"},
    ViewerOption{Viewer::firefox, "--firefox", "For profiler.firefox.com"},
    ViewerOption{Viewer::speedscope, "--speedscope", "For www.speedscope.app"}};

const std::map<std::string, SortBy> kSorts{{"module", SortBy::module},
                                           {"function", SortBy::function},
                                           {"line", SortBy::line},
                                           {"instruction", SortBy::instruction},
                                           {"comm", SortBy::command},
                                           {"pid", SortBy::process},
                                           {"tid", SortBy::thread},
                                           {"thread", SortBy::thread},
                                           {"cpu", SortBy::cpu},
                                           // perf's words
                                           {"dso", SortBy::module},
                                           {"sym", SortBy::function},
                                           {"symbol", SortBy::function},
                                           {"srcline", SortBy::line}};

std::vector<std::string> sort_words() {
  std::vector<std::string> words{"module", "function", "line", "instruction",
                                 "comm",   "pid",      "tid",  "cpu"};
  for (const auto& [word, sort] : kSorts)
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  return words;
}

// An error if rows of this kind can't be compared.
Result<void> check_compared_rows(const std::string& sort) {
  if (is_by_owner(kSorts.at(sort)))
    return failure(fmt::format("--compare has no rows by {}", sort),
                   "sort by module, function or line; --comm and --cpu choose samples");
  if (sort == "instruction")
    return failure("--compare has no rows by instruction: addresses of two builds are not the same",
                   "sort by line, or see 'tacho annotate' of each");
  return {};
}

// An error if a viewer's format is asked for with what it does not have.
Result<void> check_viewer(const ReportRequest& request) {
  if (!request.viewer) return {};
  const char* name =
      std::ranges::find(kViewerOptions, *request.viewer, &ViewerOption::viewer)->name;
  if (request.shows_calls())
    return failure(
        fmt::format("--callers, --callees and --tree exclude {}, which has all calls", name),
        "give --json or --csv, or leave them out");
  if (!request.compare.empty())
    return failure(fmt::format("--compare excludes {}, which has one recording", name),
                   "give --json or --csv, or leave it out");
  return {};
}

// An error if options about rows are given where no rows are shown.
Result<void> check_row_options(const ReportOptions& options) {
  const ReportRequest& request = options.request;
  if (options.sort && (request.viewer || request.shows_calls()))
    return failure("--sort is about rows, and none are shown here",
                   "leave out --sort, or what is shown instead of rows");
  if (request.viewer && request.limit)
    return failure("--limit is about rows, and a viewer's format has all calls", "leave it out");
  return {};
}

ReportKind kind_of(const ReportRequest& request) {
  if (request.viewer == Viewer::pprof) return ReportKind::binary;
  return request.is_text() ? ReportKind::text : ReportKind::data;
}

Result<void> run_report(const ReportOptions& options) {
  ReportRequest request = options.request;
  const std::string sort = options.sort.value_or("function");
  request.sort = kSorts.at(sort);
  TACHO_TRY(check_viewer(request));
  TACHO_TRY(check_row_options(options));
  TACHO_TRY(check_recordings(request.files, request.compare, options.output));
  if (!request.compare.empty()) TACHO_TRY(check_compared_rows(sort));
  const bool to_terminal = options.output.empty();
  if (request.viewer == Viewer::pprof && to_terminal && ::isatty(STDOUT_FILENO) != 0)
    return failure("--pprof is not written to a terminal, because it is not text",
                   "give a file: -o profile.pb.gz");
  const TextStyle style{NumberStyle::of_environment(), to_terminal && shows_colour(),
                        to_terminal ? terminal_columns() : 0};
  ComposedReport report = compose_report(request, style, TACHO_VERSION_STRING);
  say_warnings(report.warnings);
  const std::string text = TACHO_TRY(std::move(report.text));
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
  report.add_option("-o,--output", options.output, "Write here")->type_name("FILE");
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

void add_row_options(CLI::App& report, ReportRequest& request) {
  CLI::Option* with = report.add_flag_callback(
      "--inline", [&request] { request.inlined = true; },
      "Show functions that were inlined as functions of their own. Default: in viewers' formats");
  report
      .add_flag_callback(
          "--no-inline", [&request] { request.inlined = false; }, "Do not show them")
      ->excludes(with);
  report.add_option("--limit", request.limit, "At most N rows; 0: all (text: 30)")
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
}

}  // namespace

void add_report(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  add_reading<ReportOptions>(
      program, "report", "Show where the samples of a recording fell: modules, functions, lines",
      status, add_report_options, run_report);
}

}  // namespace tacho
