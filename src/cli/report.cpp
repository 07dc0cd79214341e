// `tacho report` shows where the samples of a recording fell.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>

#include "cli/format_option.hpp"
#include "cli/option_value.hpp"
#include "cli/pager.hpp"
#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "events/find_data.hpp"
#include "profile/comparison_report.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/report.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

constexpr std::size_t kProfileRows = 30;  // of the text report; other formats have all rows

using Export = std::string (*)(const ProfileExport&);

struct ReportOptions {
  RecordingInput recording;
  std::string sort = "function";
  Format format = Format::text;
  Export write_export = nullptr;  // the format of another viewer, if one was chosen
  std::string export_name;
  std::string output;
  std::string callers, callees;
  std::string compare;  // another recording
  std::optional<std::size_t> limit;

  std::size_t rows() const { return limit.value_or(format == Format::text ? kProfileRows : 0); }
  ReportKind kind() const {
    return format == Format::text && write_export == nullptr ? ReportKind::text : ReportKind::data;
  }
};

const std::map<std::string, SortBy> kSorts{{"module", SortBy::module},
                                           {"function", SortBy::function},
                                           {"line", SortBy::line},
                                           {"instruction", SortBy::instruction}};

TextStyle text_style(const ReportOptions& options) {
  return {NumberStyle::of_environment(), options.output.empty() && shows_colour()};
}

Result<std::string> calls(const ReportOptions& options, const RecordedProfile& recorded,
                          Resolver& resolver) {
  const bool callers = !options.callers.empty();
  CallView view = TACHO_TRY(call_view(recorded.profile, resolver, recorded.event,
                                      callers ? options.callers : options.callees,
                                      callers ? CallSide::callers : CallSide::callees));
  if (options.rows() > 0 && view.rows.size() > options.rows()) view.rows.resize(options.rows());
  if (options.format == Format::json) return call_view_json(view, TACHO_VERSION_STRING);
  if (options.format == Format::csv) return call_view_csv(view);
  return call_view_text(view, text_style(options));
}

Result<std::string> rows(const ReportOptions& options, const RecordedProfile& recorded,
                         Resolver& resolver) {
  const auto metrics = TACHO_TRY(known_metrics());
  const ProfileSummary summary = summarize(recorded, resolver, kSorts.at(options.sort), metrics);
  if (options.format == Format::json)
    return profile_json(summary, options.rows(), TACHO_VERSION_STRING);
  if (options.format == Format::csv) return profile_csv(summary, options.rows());
  return profile_text(summary, options.rows(), text_style(options));
}

std::string comparison(const ReportOptions& options, const ProfileComparisonReport& report) {
  if (options.format == Format::json)
    return profile_comparison_json(report, options.rows(), TACHO_VERSION_STRING);
  if (options.format == Format::csv) return profile_comparison_csv(report, options.rows());
  return profile_comparison_text(report, options.rows(), text_style(options));
}

Result<void> run_comparison(const ReportOptions& options) {
  if (options.sort == "instruction")
    return failure("--compare has no rows by instruction: addresses of two builds are not the same",
                   "sort by line, or see 'tacho annotate' of each");
  RecordingInput other = options.recording;
  other.file = options.compare;
  TACHO_TRY(keep_recording(other.file, options.output));
  const auto metrics = TACHO_TRY(known_metrics());
  const auto summary_of = [&](const RecordedProfile& recorded, const RecordingInput& input) {
    Resolver resolver(recorded.profile.modules(), recorded.description(), symbol_sources(input));
    ProfileSummary summary = summarize(recorded, resolver, kSorts.at(options.sort), metrics);
    say_warnings(recorded.all_warnings(resolver));
    return summary;
  };
  const ProfileSummary before =
      summary_of(TACHO_TRY(read_profile(options.recording)), options.recording);
  other.event = before.events[before.event].name;
  const auto recorded_after = read_profile(other);
  if (!recorded_after)
    return failure(fmt::format("--compare {}: {}", options.compare, recorded_after.error().what),
                   recorded_after.error().remedy);
  const ProfileSummary after = summary_of(*recorded_after, other);
  const ProfileComparisonReport report{options.recording.file, options.compare, before, after,
                                       compare_profiles(before, after)};
  return deliver(comparison(options, report), options.output, options.kind());
}

Result<void> run_report(const ReportOptions& options) {
  const bool calls_alone = !options.callers.empty() || !options.callees.empty();
  const bool exports = options.write_export != nullptr;
  if (calls_alone && exports)
    return failure(fmt::format("--callers and --callees exclude --{}, which has all calls",
                               options.export_name),
                   "give --json or --csv, or leave them out");
  if (!options.compare.empty() && exports)
    return failure(
        fmt::format("--compare excludes --{}, which has one recording", options.export_name),
        "give --json or --csv, or leave it out");
  TACHO_TRY(keep_recording(options.recording.file, options.output));
  if (!options.compare.empty()) return run_comparison(options);
  const auto times =
      options.write_export == profile_firefox ? SampleTimes::kept : SampleTimes::dropped;
  const RecordedProfile recorded = TACHO_TRY(read_profile(options.recording, times));
  Resolver resolver(recorded.profile.modules(), recorded.description(),
                    symbol_sources(options.recording));
  std::string text;
  if (exports)
    text = options.write_export(
        {recorded.profile, recorded.description(), resolver, recorded.event, TACHO_VERSION_STRING});
  else if (calls_alone)
    text = TACHO_TRY(calls(options, recorded, resolver));
  else
    text = TACHO_TRY(rows(options, recorded, resolver));
  say_warnings(recorded.all_warnings(resolver));
  return deliver(text, options.output, options.kind());
}

void add_report_options(CLI::App* report, const std::shared_ptr<ReportOptions>& options) {
  add_recording_options(*report, options->recording);
  report
      ->add_option("-s,--sort", options->sort, "module, function (the default), line, instruction")
      ->transform(one_of({"module", "function", "line", "instruction"}))
      ->type_name("BY");
  CLI::Option_group& formats = add_format_options(*report, options->format);
  const auto add_export = [&](const std::string& name, Export write, const char* description) {
    formats.add_flag_callback(
        "--" + name,
        [options, name, write] {
          options->export_name = name;
          options->write_export = write;
        },
        description);
  };
  add_export("folded", profile_folded, "Call chains, one per line, for flame graphs");
  add_export("pprof", profile_pprof, "For pprof: profile.proto");
  add_export("firefox", profile_firefox, "For profiler.firefox.com");
  add_export("speedscope", profile_speedscope, "For www.speedscope.app");
  report->add_option("-o,--output", options->output, "Write here")->type_name("FILE");
  CLI::Option* callers =
      report->add_option("--callers", options->callers, "The callers of a function")
          ->type_name("FUNCTION");
  CLI::Option* callees =
      report->add_option("--callees", options->callees, "The functions that a function called")
          ->type_name("FUNCTION")
          ->excludes(callers);
  report
      ->add_option("--compare", options->compare,
                   "Show the same rows in this recording, too: it was made after a change")
      ->type_name("OTHER")
      ->excludes(callers)
      ->excludes(callees);
  report->add_option("--limit", options->limit, "At most N rows; 0: all (text: 30)")
      ->type_name("N")
      ->transform(decimal(0, 1'000'000'000));
}

}  // namespace

void add_report(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  add_reading<ReportOptions>(
      program, "report", "Show where the samples of a recording fell: modules, functions, lines",
      status, add_report_options, run_report);
}

}  // namespace tacho
