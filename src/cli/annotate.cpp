// `tacho annotate` shows one function, line by line and instruction by instruction.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "events/find_data.hpp"
#include "locate/named_recordings.hpp"
#include "perfdata/header.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/report.hpp"
#include "report/pager.hpp"
#include "report/terminal.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

struct AnnotateOptions {
  RecordingInput recording;
  std::string function;
  std::string output;
  bool json = false;
  bool all = false;         // rows
  bool full_names = false;  // lines may be longer than the terminal is wide
};

// An error if the user names a recording where a function is meant, as in `perf annotate FILE`.
Result<void> check_function(const AnnotateOptions& options) {
  if (options.function.empty() || !perfdata::begins_as_recording(options.function)) return {};
  return failure(
      fmt::format("'{}' is a recording, and FUNCTION is missing", options.function),
      fmt::format("give 'tacho annotate -i {} FUNCTION'; without FUNCTION it shows the hottest one",
                  options.function));
}

Result<void> run_annotate(const AnnotateOptions& options) {
  TACHO_TRY(check_function(options));
  TACHO_TRY(keep_recording(options.recording.file, options.output));
  const RecordedProfile recorded = TACHO_TRY(read_profile(options.recording));
  const auto metrics = TACHO_TRY(known_metrics());
  Resolver resolver(recorded.profile.modules(), recorded.description(),
                    symbol_sources(options.recording));
  auto annotation = annotate(recorded.profile, recorded.description(), resolver, recorded.event,
                             options.function, metrics);
  say_warnings(recorded.all_warnings(resolver));
  if (!annotation) return std::unexpected(annotation.error());
  annotation->chosen = recorded.chosen;
  say_warnings(annotation->warnings);
  if (options.json)
    return deliver(annotation_json(*annotation, TACHO_VERSION_STRING), options.output,
                   ReportKind::data);
  const TextStyle style = report_style(options.output, options.full_names);
  return deliver(annotation_text(*annotation, style, options.all), options.output,
                 ReportKind::text);
}

void add_annotate_options(CLI::App* annotate, const std::shared_ptr<AnnotateOptions>& options) {
  annotate->add_option(
      "FUNCTION", options->function,
      "The function's name, also of an inlined one; scopes, template arguments and "
      "parameters may be left out. Default: the one with the most samples");
  add_recording_options(*annotate, options->recording);
  annotate->add_flag("--all", options->all, "All lines and instructions, not only the hottest");
  add_full_names(*annotate, options->full_names);
  annotate->add_flag("--json", options->json, "As JSON, schema 1");
  annotate->add_option("-o,--output", options->output, "Write here")->type_name("FILE");
}

}  // namespace

void add_annotate(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  add_reading<AnnotateOptions>(
      program, "annotate",
      "Show a function's lines and instructions with the samples that fell on each", status,
      add_annotate_options, run_annotate);
}

}  // namespace tacho
