// `tacho annotate` shows one function, line by line and instruction by instruction.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/pager.hpp"
#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "events/find_data.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/report.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

struct AnnotateOptions {
  RecordingInput recording;
  std::string function;
  std::string output;
  bool json = false;
};

Result<void> run_annotate(const AnnotateOptions& options) {
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
  const TextStyle style{NumberStyle::of_environment(), options.output.empty() && shows_colour()};
  return deliver(annotation_text(*annotation, style), options.output, ReportKind::text);
}

void add_annotate_options(CLI::App* annotate, const std::shared_ptr<AnnotateOptions>& options) {
  annotate
      ->add_option("FUNCTION", options->function,
                   "The function's name; scopes and parameters may be left out")
      ->required();
  add_recording_options(*annotate, options->recording);
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
