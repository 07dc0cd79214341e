// `tacho blocks` shows how many cycles the code between taken branches takes, from branch stacks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "blocks/asked_runs.hpp"
#include "blocks/blocks_page.hpp"
#include "blocks/branch_recording.hpp"
#include "blocks/comparison_text.hpp"
#include "blocks/cycles_plot.hpp"
#include "blocks/report.hpp"
#include "blocks/run_details.hpp"
#include "cli/format_option.hpp"
#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "help/option_value.hpp"
#include "locate/named_recordings.hpp"
#include "locate/recording_files.hpp"
#include "page/page_output.hpp"
#include "report/terminal.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

constexpr std::size_t kRunRows = 20;  // of the text report; other formats have all rows
constexpr std::size_t kPageRows = 200;
constexpr std::size_t kDetails = 3;  // runs that are shown in detail
constexpr std::size_t kPageDetails = 20;

struct BlocksOptions {
  // Pieces of one recording; with `compare`, recordings of runs before a change.
  std::vector<std::string> files{"perf.data"};
  RecordingInput reading;  // without the file
  std::string function, address, line;
  std::vector<std::string> compare;  // recordings of runs after a change
  std::string plot;
  Format format = Format::text;
  std::string output, page;
  std::optional<std::size_t> limit;
  bool full_names = false;  // lines may be longer than the terminal is wide

  std::size_t rows() const { return limit.value_or(format == Format::text ? kRunRows : 0); }
  ReportKind kind() const { return format == Format::text ? ReportKind::text : ReportKind::data; }
};

// An error if both are the same file. The files need not exist yet.
Result<void> check_apart(const std::string& picture, const std::string& report) {
  std::error_code none;
  if (picture.empty() || report.empty() ||
      std::filesystem::weakly_canonical(picture, none) !=
          std::filesystem::weakly_canonical(report, none))
    return {};
  return failure(
      fmt::format("the picture and the report would go into the same file: '{}'", report),
      "give each a file of its own, with --plot and -o");
}

Result<void> draw(std::string_view title, std::span<const PlottedCase> cases,
                  const std::string& picture) {
  TACHO_TRY(draw_cycles(title, cases, picture));
  say_line(fmt::format("drew {}", picture));
  return {};
}

// Shows these runs of the first recording beside the same runs of the other recordings.
Result<void> run_comparison(const BlocksOptions& options, const BranchRecording& first,
                            std::span<const std::size_t> runs) {
  RunSide before, after;
  before.add(options.files.front(), first, first.blocks, runs);
  const auto more_before = std::span(options.files).subspan(1);
  say_warnings(TACHO_TRY(before.read({"-i", more_before}, options.reading, first.blocks, runs)));
  say_warnings(
      TACHO_TRY(after.read({"--compare", options.compare}, options.reading, first.blocks, runs)));
  const ComparisonReport report{before, after, compare_runs(before, after)};
  if (!options.page.empty())
    return write_page(options.page, blocks_comparison_page(first, report, TACHO_VERSION_STRING),
                      notices());
  const std::string text = options.format == Format::json
                               ? comparison_json(report, TACHO_VERSION_STRING)
                               : comparison_text(report, NumberStyle::of_environment());
  TACHO_TRY(deliver(text, options.output, options.kind()));
  if (options.plot.empty() || report.compared.runs.empty()) return {};
  const RunComparison& drawn = report.compared.runs.front();
  const CodeRun& run = before.blocks.runs[drawn.before];
  const std::array<PlottedCase, 2> cases{
      {{before.files.front(), run.cycles},
       {after.files.front(), after.blocks.runs[drawn.after].cycles}}};
  return draw(run_name(run, before.blocks), cases, options.plot);
}

Result<void> draw_first(const BlocksOptions& options, const Blocks& blocks,
                        const ChosenRuns& chosen) {
  if (options.plot.empty() || chosen.runs.empty()) return {};
  const CodeRun& run = blocks.runs[chosen.runs.front()];
  if (run.cycles.empty())
    return failure(fmt::format("cannot draw '{}': no branch has cycles", options.plot),
                   "record on a processor whose branch stacks have them");
  const std::array<PlottedCase, 1> cases{{{options.files.front(), run.cycles}}};
  return draw(run_name(run, blocks), cases, options.plot);
}

Result<void> deliver_report(const BlocksOptions& options, const BlocksReport& report) {
  if (options.format == Format::json)
    return deliver(
        [&](const TextSink& sink) {
          blocks_json(report, options.rows(), TACHO_VERSION_STRING, sink);
        },
        options.output);
  const std::string text =
      options.format == Format::csv
          ? blocks_csv(report, options.rows())
          : blocks_text(report, options.rows(), report_style(options.output, options.full_names));
  return deliver(text, options.output, options.kind());
}

Result<void> run_blocks(const BlocksOptions& asked) {
  BlocksOptions options = asked;
  expand_runs(options.files, options.compare);
  const RunChoice choice = TACHO_TRY(asked_runs(options.function, options.address, options.line));
  TACHO_TRY(check_cycles_plot(options.plot));
  TACHO_TRY(check_apart(options.plot, options.output));
  TACHO_TRY(check_recordings(options.files, options.compare,
                             options.page.empty() ? options.output : options.page));
  RecordingInput input = options.reading;
  input.file = options.files.front();
  if (options.compare.empty()) input.more.assign(options.files.begin() + 1, options.files.end());
  const bool with_paths = options.format != Format::csv && options.compare.empty();
  const BranchRecording recording = TACHO_TRY(
      read_branches(input, with_paths ? LoopsAndChains::wanted : LoopsAndChains::unwanted));
  const Blocks& blocks = recording.blocks;
  say_chosen(recording.chosen);
  say_warnings(blocks.warnings);
  const ChosenRuns chosen = TACHO_TRY(choose_runs(blocks, choice, *recording.resolver));
  say_warnings(chosen.warnings);

  const std::size_t usual = options.page.empty() ? kDetails : kPageDetails;
  std::size_t detailed = options.compare.empty() ? usual : options.limit.value_or(usual);
  if (detailed == 0) detailed = chosen.runs.size();
  const auto first_runs = std::span(chosen.runs).first(std::min(detailed, chosen.runs.size()));
  if (!options.compare.empty()) return run_comparison(options, recording, first_runs);

  RunDetails details;
  if (options.format != Format::csv) {  // CSV has no details
    details = describe_runs(recording, first_runs);
    say_warnings(details.warnings);
    if (!details.note.empty()) say_line(details.note);
  }
  std::vector<BranchEdge> branches;  // as much memory again as the runs, so only if they are shown
  if (options.format == Format::json) branches = branches_of(*recording.stacks);
  const BlocksReport report{blocks,   chosen,           choice.is_everything(),
                            kDetails, details.listings, details.explanations,
                            branches};
  if (!options.page.empty())
    return write_page(
        options.page,
        blocks_page(recording, report, options.limit.value_or(kPageRows), TACHO_VERSION_STRING),
        notices());
  // The report comes first: if gnuplot fails, only the picture is lost.
  TACHO_TRY(deliver_report(options, report));
  return draw_first(options, blocks, chosen);
}

void add_blocks_options(CLI::App* blocks, const std::shared_ptr<BlocksOptions>& options) {
  add_recording_files(*blocks, options->files);
  add_symbol_options(*blocks, options->reading);
  blocks->add_option("--function", options->function, "Runs of this function only")->type_name("F");
  blocks->add_option("--address", options->address, "Runs that contain this address only")
      ->type_name("ADDRESS");
  blocks->add_option("--line", options->line, "Runs with code of this source line only")
      ->option_text("FILE:N");
  CLI::Option_group& formats =
      add_format_options(*blocks, options->format,
                         "How often each number of cycles was seen: cycles,count of one run");
  blocks
      ->add_option("--compare", options->compare,
                   "Show what changed from the recordings of -i to these, made after a change. "
                   "At least 6 of each show which runs changed significantly")
      ->type_name("OTHER...")
      ->excludes(formats.get_option("--csv"));
  blocks
      ->add_option("--plot", options->plot,
                   "Draw how often the first run took each number of cycles, with gnuplot")
      ->type_name("FILE.svg|png");
  CLI::Option* page =
      formats.add_option("--html", options->page, "Write a page for a browser instead")
          ->type_name("FILE");
  add_full_names(*blocks, options->full_names);
  blocks->add_option("-o,--output", options->output, "Write here")
      ->type_name("FILE")
      ->excludes(page);
  blocks->add_option("-n,--limit", options->limit, "At most N runs; 0: all (text: 20)")
      ->type_name("N")
      ->transform(decimal(0, 1'000'000'000));
}

}  // namespace

void add_blocks(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  add_reading<BlocksOptions>(
      program, "blocks",
      "Show how many cycles the code between taken branches takes, from branch stacks", status,
      add_blocks_options, run_blocks);
}

}  // namespace tacho
