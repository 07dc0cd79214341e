// tacho annotate: one function, line by line and instruction by instruction.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/pager.hpp"
#include "cli/reading.hpp"
#include "cli/recording.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "events/find_data.hpp"
#include "profile/report.hpp"

namespace tacho {
namespace {

struct AnnotateOptions {
  RecordingOptions recording;
  std::string function;
  std::string output;
  bool json = false;
};

Result<void> run_annotate(const AnnotateOptions& options) {
  if (auto kept = keep_recording(options.recording.input, options.output); !kept) return kept;
  auto recording = read_recording(options.recording);
  if (!recording) return std::unexpected(recording.error());
  const auto metrics = known_metrics();
  if (!metrics) return std::unexpected(metrics.error());
  Resolver resolver(recording->profile.modules(), recording->description(),
                    symbol_sources(options.recording));
  auto annotation = annotate(recording->profile, recording->description(), resolver,
                             recording->event, options.function, *metrics);
  say_warnings(*recording, resolver);
  if (!annotation) return std::unexpected(annotation.error());
  for (const std::string& warning : annotation->warnings) say_warning(warning);
  const TextStyle style{NumberStyle::of_environment(), options.output.empty() && shows_colour()};
  const std::string text = options.json ? annotation_json(*annotation, TACHO_VERSION)
                                        : annotation_text(*annotation, style);
  return deliver(text, options.output, !options.json);
}

void add_annotate_options(CLI::App* annotate, const std::shared_ptr<AnnotateOptions>& options) {
  annotate
      ->add_option("FUNCTION", options->function, "Its name; scopes and parameters may be left out")
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
