// tacho report: where the samples of a recording fell.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>

#include "cli/option_value.hpp"
#include "cli/pager.hpp"
#include "cli/reading.hpp"
#include "cli/recording.hpp"
#include "cli/subcommands.hpp"
#include "events/find_data.hpp"
#include "profile/comparison_text.hpp"
#include "profile/report.hpp"

namespace tacho {
namespace {

constexpr std::size_t kProfileRows = 30;  // of the text; other formats have all

struct ReportOptions {
  RecordingOptions recording;
  std::string sort = "function";
  std::string format = "text";
  std::string output;
  std::string callers, callees;
  std::string compare;  // another recording
  std::optional<std::size_t> limit;

  std::size_t rows() const { return limit.value_or(format == "text" ? kProfileRows : 0); }
};

const std::map<std::string, SortBy> kSorts{{"module", SortBy::module},
                                           {"function", SortBy::function},
                                           {"line", SortBy::line},
                                           {"instruction", SortBy::instruction}};

using Export = std::string (*)(const ProfileExport&);
const std::map<std::string, Export, std::less<>> kExports{{"folded", profile_folded},
                                                          {"pprof", profile_pprof},
                                                          {"firefox", profile_firefox},
                                                          {"speedscope", profile_speedscope}};

TextStyle text_style(const ReportOptions& options) {
  return {NumberStyle::of_environment(), options.output.empty() && shows_colour()};
}

Result<std::string> calls(const ReportOptions& options, const Recording& recording,
                          Resolver& resolver) {
  const bool callers = !options.callers.empty();
  auto view = call_view(recording.profile, resolver, recording.event,
                        callers ? options.callers : options.callees, callers);
  if (!view) return std::unexpected(view.error());
  if (options.rows() > 0 && view->rows.size() > options.rows()) view->rows.resize(options.rows());
  if (options.format == "json") return call_view_json(*view, TACHO_VERSION);
  if (options.format == "csv") return call_view_csv(*view);
  return call_view_text(*view, text_style(options));
}

Result<std::string> rows(const ReportOptions& options, const Recording& recording,
                         Resolver& resolver) {
  const auto metrics = known_metrics();
  if (!metrics) return std::unexpected(metrics.error());
  ProfileSummary summary = summarize(recording.profile, recording.description(), resolver,
                                     kSorts.at(options.sort), recording.event, *metrics);
  summary.warnings.insert(summary.warnings.begin(), recording.warnings.begin(),
                          recording.warnings.end());
  if (options.format == "json") return profile_json(summary, options.rows(), TACHO_VERSION);
  if (options.format == "csv") return profile_csv(summary, options.rows());
  return profile_text(summary, options.rows(), text_style(options));
}

// The rows of both recordings. Addresses are another build's.
Result<void> run_comparison(const ReportOptions& options) {
  if (options.sort == "instruction")
    return failure("--compare has no rows by instruction: addresses of two builds are not the same",
                   "sort by line, or see 'tacho annotate' of each");
  RecordingOptions other_options = options.recording;
  other_options.input = options.compare;
  if (auto kept = keep_recording(other_options.input, options.output); !kept) return kept;
  const auto metrics = known_metrics();
  if (!metrics) return std::unexpected(metrics.error());
  auto before = read_recording(options.recording);
  if (!before) return std::unexpected(before.error());
  const SortBy sort = kSorts.at(options.sort);
  const auto summary_of = [&](const Recording& recording, const RecordingOptions& of) {
    Resolver resolver(recording.profile.modules(), recording.description(), symbol_sources(of));
    ProfileSummary summary = summarize(recording.profile, recording.description(), resolver, sort,
                                       recording.event, *metrics);
    summary.warnings.insert(summary.warnings.begin(), recording.warnings.begin(),
                            recording.warnings.end());
    say_warnings(recording, resolver);
    return summary;
  };
  const ProfileSummary was = summary_of(*before, options.recording);
  other_options.event = was.events[was.event].name;
  auto after = read_recording(other_options);
  if (!after)
    return failure(fmt::format("--compare {}: {}", options.compare, after.error().what),
                   after.error().remedy);
  const ProfileSummary is = summary_of(*after, other_options);
  const ProfileComparisonReport report{options.recording.input, options.compare, was, is,
                                       compare_profiles(was, is)};
  const std::string text =
      options.format == "json" ? profile_comparison_json(report, options.rows(), TACHO_VERSION)
      : options.format == "csv"
          ? profile_comparison_csv(report, options.rows())
          : profile_comparison_text(report, options.rows(), text_style(options));
  return deliver(text, options.output, options.format == "text");
}

Result<void> run_report(const ReportOptions& options) {
  const bool calls_alone = !options.callers.empty() || !options.callees.empty();
  const auto exports = kExports.find(options.format);
  if (calls_alone && exports != kExports.end())
    return failure(
        fmt::format("--callers and --callees exclude --{}, which has all calls", options.format),
        "give --json or --csv, or leave them out");
  if (!options.compare.empty() && exports != kExports.end())
    return failure(fmt::format("--compare excludes --{}, which has one recording", options.format),
                   "give --json or --csv, or leave it out");
  if (auto kept = keep_recording(options.recording.input, options.output); !kept) return kept;
  if (!options.compare.empty()) return run_comparison(options);
  auto recording = read_recording(options.recording, options.format == "firefox");
  if (!recording) return std::unexpected(recording.error());
  Resolver resolver(recording->profile.modules(), recording->description(),
                    symbol_sources(options.recording));
  Result<std::string> text;
  if (exports != kExports.end())
    text = exports->second(
        {recording->profile, recording->description(), resolver, recording->event, TACHO_VERSION});
  else if (calls_alone)
    text = calls(options, *recording, resolver);
  else
    text = rows(options, *recording, resolver);
  if (!text) return std::unexpected(text.error());
  say_warnings(*recording, resolver);
  return deliver(*text, options.output, options.format == "text");
}

void add_report_options(CLI::App* report, const std::shared_ptr<ReportOptions>& options) {
  add_recording_options(*report, options->recording);
  report
      ->add_option("-s,--sort", options->sort, "module, function (the default), line, instruction")
      ->transform(one_of({"module", "function", "line", "instruction"}))
      ->type_name("BY");
  CLI::Option_group* formats =
      report->add_option_group("formats", "Formats, of which one may be chosen");
  const auto format = [&](const std::string& name, const std::string& what) {
    formats->add_flag_callback("--" + name, [options, name] { options->format = name; }, what);
  };
  format("json", "As JSON, schema 1");
  format("csv", "As CSV");
  format("folded", "Call chains, one a line, for flame graphs");
  format("pprof", "For pprof: profile.proto");
  format("firefox", "For profiler.firefox.com");
  format("speedscope", "For www.speedscope.app");
  formats->require_option(0, 1);
  report->add_option("-o,--output", options->output, "Write here")->type_name("FILE");
  CLI::Option* callers = report->add_option("--callers", options->callers, "Who called a function")
                             ->type_name("FUNCTION");
  CLI::Option* callees = report->add_option("--callees", options->callees, "Whom a function called")
                             ->type_name("FUNCTION")
                             ->excludes(callers);
  report
      ->add_option("--compare", options->compare,
                   "The same rows in this recording, made after something was changed")
      ->type_name("OTHER")
      ->excludes(callers)
      ->excludes(callees);
  report->add_option("--limit", options->limit, "At most so many rows; 0: all (text: 30)")
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
