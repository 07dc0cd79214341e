// `tacho report` shows where the samples of a recording fell.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/format_option.hpp"
#include "cli/option_value.hpp"
#include "cli/pager.hpp"
#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "events/find_data.hpp"
#include "profile/call_tree.hpp"
#include "profile/comparison_report.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/report.hpp"
#include "profile/total_order.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

constexpr std::size_t kProfileRows = 30;  // of the text report; other formats have all rows

using Export = std::string (*)(const ProfileExport&);

struct ReportOptions {
  std::vector<std::string> files{"perf.data"};  // one, but for --compare
  std::vector<std::string> compare;             // recordings of the program after a change
  RecordingInput reading;                       // without the file
  std::string sort = "function";
  Format format = Format::text;
  Export write_export = nullptr;  // the format of another viewer, if one was chosen
  std::string export_name;
  std::string output;
  std::string callers, callees;
  bool tree = false;
  bool by_total = false;
  std::optional<double> least_percent;  // of the samples, in the tree
  std::optional<std::size_t> limit;
  std::optional<bool> inlined;  // whether functions that were inlined are shown

  // Rows are by symbol unless asked: the debug information of a large program takes long to read.
  // Viewers get everything.
  bool shows_inlined() const { return inlined.value_or(write_export != nullptr); }
  std::size_t rows() const { return limit.value_or(format == Format::text ? kProfileRows : 0); }
  ReportKind kind() const {
    return format == Format::text && write_export == nullptr ? ReportKind::text : ReportKind::data;
  }
  RecordingInput input(const std::string& file) const {
    RecordingInput one = reading;
    one.file = file;
    return one;
  }
};

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

TextStyle text_style(const ReportOptions& options) {
  const bool to_terminal = options.output.empty();
  return {NumberStyle::of_environment(), to_terminal && shows_colour(),
          to_terminal ? terminal_columns() : 0};
}

Result<std::string> tree(const ReportOptions& options, const RecordedProfile& recorded,
                         Resolver& resolver) {
  const double least = options.least_percent.value_or(options.format == Format::text ? 0.5 : 0);
  const auto events = sampled_events(recorded.profile, recorded.description());
  const CallTree found =
      TACHO_TRY(call_tree(recorded.profile, resolver, recorded.event, events[recorded.event].name,
                          {least / 100, options.rows()}));
  if (options.format == Format::json) return call_tree_json(found, TACHO_VERSION_STRING);
  if (options.format == Format::csv)
    return failure("--tree has no CSV, because its rows are not a table", "give --json");
  return call_tree_text(found, text_style(options));
}

Result<std::string> calls(const ReportOptions& options, const RecordedProfile& recorded,
                          Resolver& resolver) {
  const bool callers = !options.callers.empty();
  CallView view = TACHO_TRY(call_view(recorded.profile, resolver, recorded.event,
                                      callers ? options.callers : options.callees,
                                      callers ? CallSide::callers : CallSide::callees));
  view.chosen = recorded.chosen;
  if (options.rows() > 0 && view.rows.size() > options.rows()) view.rows.resize(options.rows());
  if (options.format == Format::json) return call_view_json(view, TACHO_VERSION_STRING);
  if (options.format == Format::csv) return call_view_csv(view);
  return call_view_text(view, text_style(options));
}

Result<std::string> rows(const ReportOptions& options, const RecordedProfile& recorded,
                         Resolver& resolver) {
  const auto metrics = TACHO_TRY(known_metrics());
  ProfileSummary summary = summarize(recorded, resolver, kSorts.at(options.sort), metrics);
  if (options.by_total) TACHO_TRY(sort_by_total(summary));
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

// An error if an option stands in the place of a recording, or if the output is a recording.
Result<void> check_files(std::string_view option, const std::vector<std::string>& files,
                         const std::string& output) {
  for (const std::string& file : files) {
    if (file.starts_with("--"))
      return failure(fmt::format("{} needs a recording, and '{}' follows it", option, file),
                     fmt::format("give a file; './{}' is a file of this name", file));
    TACHO_TRY(keep_recording(file, output));
  }
  return {};
}

// An error if a recording is twice among these: one run would count as two that do not differ.
Result<void> check_distinct(std::string_view option, const std::vector<std::string>& files) {
  const auto path = [](const std::string& file) { return file == "-" ? "/dev/stdin" : file; };
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code none;
      if (files[i] != files[j] &&
          !std::filesystem::equivalent(path(files[i]), path(files[j]), none))
        continue;
      return failure(fmt::format("{} has the recording '{}' twice", option, files[i]),
                     "give each recording once: it is one run of the program");
    }
  return {};
}

// The rows of each recording. If `event` is empty, it becomes that of the first. Each warning is
// printed once.
Result<std::vector<ProfileSummary>> summaries(const ReportOptions& options, std::string_view option,
                                              const std::vector<std::string>& files,
                                              std::string& event) {
  TACHO_TRY(check_distinct(option, files));
  const auto metrics = TACHO_TRY(known_metrics());
  std::vector<ProfileSummary> recordings;
  std::set<std::string> said;
  for (const std::string& file : files) {
    RecordingInput input = options.input(file);
    input.event = event;
    auto recorded = read_profile(input);
    if (!recorded)
      return failure(fmt::format("{} {}: {}", option, file, recorded.error().what),
                     recorded.error().remedy);
    Resolver resolver(recorded->profile.modules(), recorded->description(), symbol_sources(input));
    if (options.shows_inlined()) show_inlined(*recorded, resolver);
    recordings.push_back(summarize(*recorded, resolver, kSorts.at(options.sort), metrics));
    const ProfileSummary& summary = recordings.back();
    event = summary.events[summary.event].name;
    for (const std::string& warning : recorded->all_warnings(resolver))
      if (said.insert(warning).second) say_warning(warning);
  }
  return recordings;
}

Result<void> run_comparison(const ReportOptions& options) {
  if (is_by_owner(kSorts.at(options.sort)))
    return failure(fmt::format("--compare has no rows by {}", options.sort),
                   "sort by module, function or line; --comm and --cpu choose samples");
  if (options.sort == "instruction")
    return failure("--compare has no rows by instruction: addresses of two builds are not the same",
                   "sort by line, or see 'tacho annotate' of each");
  std::string event = options.reading.event;
  const auto before = TACHO_TRY(summaries(options, "-i", options.files, event));
  const auto after = TACHO_TRY(summaries(options, "--compare", options.compare, event));
  const ProfileComparisonReport report{
      {options.files, before}, {options.compare, after}, compare_profiles(before, after)};
  return deliver(comparison(options, report), options.output, options.kind());
}

Result<void> run_report(const ReportOptions& options) {
  const bool calls_alone = options.tree || !options.callers.empty() || !options.callees.empty();
  const bool exports = options.write_export != nullptr;
  if (calls_alone && exports)
    return failure(fmt::format("--callers, --callees and --tree exclude --{}, which has all calls",
                               options.export_name),
                   "give --json or --csv, or leave them out");
  if (!options.compare.empty() && exports)
    return failure(
        fmt::format("--compare excludes --{}, which has one recording", options.export_name),
        "give --json or --csv, or leave it out");
  TACHO_TRY(check_files("-i", options.files, options.output));
  TACHO_TRY(check_files("--compare", options.compare, options.output));
  if (!options.compare.empty()) return run_comparison(options);
  TACHO_TRY(check_distinct("-i", options.files));
  RecordingInput input = options.input(options.files.front());
  input.more.assign(options.files.begin() + 1, options.files.end());
  auto details =
      options.write_export == profile_firefox ? SampleDetails::times : SampleDetails::none;
  if (!exports && is_by_owner(kSorts.at(options.sort))) details = SampleDetails::owners;
  RecordedProfile recorded = TACHO_TRY(read_profile(input, details));
  Resolver resolver(recorded.profile.modules(), recorded.description(), symbol_sources(input));
  // pprof's format has a place of its own for them.
  if (options.shows_inlined() && options.write_export != profile_pprof)
    show_inlined(recorded, resolver);
  if (options.inlined == true && !exports && !recorded.profile.has_inlined())
    say_warning(
        "--inline found no function that was inlined: programs have them with debug information "
        "(-g)");
  std::string text;
  if (exports)
    text = options.write_export(
        {recorded.profile, recorded.description(), resolver, recorded.event, TACHO_VERSION_STRING,
         recorded.chosen ? recorded.chosen->words : std::string(), options.shows_inlined()});
  else if (options.tree)
    text = TACHO_TRY(tree(options, recorded, resolver));
  else if (calls_alone)
    text = TACHO_TRY(calls(options, recorded, resolver));
  else
    text = TACHO_TRY(rows(options, recorded, resolver));
  say_warnings(recorded.all_warnings(resolver));
  return deliver(text, options.output, options.kind());
}

void add_report_options(CLI::App* report, const std::shared_ptr<ReportOptions>& options) {
  CLI::Option* input =
      report
          ->add_option("-i,--input", options->files,
                       "The recording (perf.data); - is standard input. Several are pieces of one "
                       "recording (perf record --switch-output), or runs with --compare")
          ->type_name("FILE");
  report->add_option("FILE", options->files, "The recording, as with -i")->excludes(input);
  add_symbol_options(*report, options->reading);
  report
      ->add_option("-s,--sort", options->sort,
                   "module, function (the default), line, instruction; comm, pid, tid, cpu")
      ->transform(one_of(sort_words()))
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
  CLI::Option* tree =
      report->add_flag("--tree", options->tree, "The calls as a tree, from the outermost functions")
          ->excludes(callers)
          ->excludes(callees);
  report
      ->add_option("--percent-limit", options->least_percent,
                   "With --tree: calls with at least P % of the samples (text: 0.5)")
      ->type_name("P")
      ->needs(tree)
      ->transform(decimal(0.0, 100.0));
  CLI::Option* children = report->add_flag("--children", options->by_total,
                                           "Largest total first: with what the rows called");
  report
      ->add_option("--compare", options->compare,
                   "Show what changed from the recordings of -i to these, made after a change. "
                   "At least 3 of each show which rows changed significantly")
      ->type_name("OTHER...")
      ->excludes(callers)
      ->excludes(callees)
      ->excludes(tree)
      ->excludes(children);
  CLI::Option* with = report->add_flag_callback(
      "--inline", [options] { options->inlined = true; },
      "Show functions that were inlined as functions of their own. Default: in viewers' formats");
  report
      ->add_flag_callback(
          "--no-inline", [options] { options->inlined = false; }, "Do not show them")
      ->excludes(with);
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
