// tacho blocks: what the code between taken branches costs, from branch stacks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "blocks/machine_code_analyser.hpp"
#include "blocks/report.hpp"
#include "cli/blocks_comparison.hpp"
#include "cli/branch_recording.hpp"
#include "cli/option_value.hpp"
#include "cli/reading.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"

namespace tacho {
namespace {

constexpr std::size_t kRunRows = 20;  // of the text; other formats have all
constexpr std::size_t kDetails = 3;   // runs that are shown whole

struct BlocksOptions {
  RecordingOptions recording;
  std::string function, address, line;
  std::string compare;  // another recording
  std::string plot;
  std::string format = "text";
  std::string output;
  std::optional<std::size_t> limit;

  std::size_t rows() const { return limit.value_or(format == "text" ? kRunRows : 0); }
};

Result<RunChoice> choice_of(const BlocksOptions& options) {
  RunChoice choice{options.function, std::nullopt, {}, 0};
  if (!options.address.empty()) {
    std::string_view digits = options.address;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    std::uint64_t address = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (error != std::errc() || end != digits.data() + digits.size())
      return failure(fmt::format("--address '{}' is no address", options.address),
                     "give it in hexadecimal, as 0x401136");
    choice.address = address;
  }
  if (!options.line.empty()) {
    const std::size_t colon = options.line.rfind(':');
    const std::string_view digits =
        std::string_view(options.line).substr(colon == options.line.npos ? 0 : colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), choice.line);
    if (colon == options.line.npos || error != std::errc() || choice.line == 0 ||
        end != digits.data() + digits.size())
      return failure(fmt::format("--line '{}' is no line of a file", options.line),
                     "give it as FILE:NUMBER, as in loop.cpp:12");
    choice.file = options.line.substr(0, colon);
  }
  return choice;
}

// Neither file may be there yet.
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

// Why these runs take the cycles that they take.
std::vector<RunExplanation> explain(const BranchRecording& recording,
                                    std::span<const std::size_t> runs,
                                    std::span<const RunListing> listings) {
  const Blocks& blocks = recording.blocks;
  const auto core = core_facts(recording.reader->description().cpu_id, blocks.cpu,
                               blocks.architecture, blocks.event);
  MachineCodeAnalyser analyser;
  std::vector<RunExplanation> explanations;
  for (const std::size_t run : runs) {
    const auto listing = std::ranges::find(listings, run, &RunListing::run);
    const RunListing* code = listing == listings.end() ? nullptr : &*listing;
    std::optional<StaticCost> cost;
    if (core && code != nullptr) cost = analyser.ask_for(*core, code_of(blocks, *code));
    if (auto why = explain_run(blocks, run, code, core, cost))
      explanations.push_back(std::move(*why));
  }
  if (!analyser.complaint().empty()) say_line(analyser.complaint());
  return explanations;
}

// These runs beside those of the other recording.
Result<void> run_beside(const BlocksOptions& options, const BranchRecording& recording,
                        std::span<const std::size_t> runs) {
  RecordingOptions wanted = options.recording;
  wanted.input = options.compare;
  const auto other = read_branches(wanted, Paths::left_out);
  if (!other) return std::unexpected(other.error());
  for (const std::string& warning : other->blocks.warnings) say_warning(warning);
  const ComparedRuns compared = compare(recording.blocks, runs, other->blocks);
  const ComparisonReport report{options.recording.input, options.compare, recording.blocks,
                                other->blocks,           compared.runs,   compared.missing};
  const std::string text = options.format == "json"
                               ? comparison_json(report, TACHO_VERSION)
                               : comparison_text(report, NumberStyle::of_environment());
  if (auto told = deliver(text, options.output, options.format == "text"); !told) return told;
  if (options.plot.empty() || compared.runs.empty()) return {};
  const RunComparison& first = compared.runs.front();
  const Run& run = recording.blocks.runs[first.before];
  const std::array<PlottedCase, 2> cases{
      {{report.before_name, run.cycles},
       {report.after_name, other->blocks.runs[first.after].cycles}}};
  return draw(run_name(run, recording.blocks), cases, options.plot);
}

Result<void> draw_first(const BlocksOptions& options, const Blocks& blocks,
                        const ChosenRuns& chosen) {
  if (options.plot.empty() || chosen.runs.empty()) return {};
  const Run& run = blocks.runs[chosen.runs.front()];
  if (run.cycles.empty())
    return failure(fmt::format("cannot draw '{}': no branch tells its cycles", options.plot),
                   "record on a processor whose branch stacks have them");
  const std::array<PlottedCase, 1> cases{{{options.recording.input, run.cycles}}};
  return draw(run_name(run, blocks), cases, options.plot);
}

// The instructions of those runs whose code is here.
std::vector<RunListing> list(const BranchRecording& recording, std::span<const std::size_t> runs) {
  const Blocks& blocks = recording.blocks;
  std::vector<RunListing> listings;
  std::set<std::string> warnings;  // several runs have the same
  for (const std::size_t run : runs) {
    if (!blocks.modules[blocks.runs[run].module].has_code) continue;
    auto listing = list_run(blocks, run, *recording.resolver);
    if (!listing) {
      say_warning(listing.error().what);
      continue;
    }
    warnings.insert(listing->warnings.begin(), listing->warnings.end());
    listings.push_back(std::move(*listing));
  }
  for (const std::string& warning : warnings) say_warning(warning);
  return listings;
}

Result<void> run_blocks(const BlocksOptions& options) {
  auto choice = choice_of(options);
  if (!choice) return std::unexpected(choice.error());
  if (auto there = check_plot(options.plot); !there) return there;
  if (auto apart = check_apart(options.plot, options.output); !apart) return apart;
  for (const std::string& input : {options.recording.input, options.compare})
    if (auto kept = keep_recording(input, options.output); !kept) return kept;
  const bool with_paths = options.format != "csv" && options.compare.empty();
  auto recording = read_branches(options.recording, with_paths ? Paths::followed : Paths::left_out);
  if (!recording) return std::unexpected(recording.error());
  const Blocks& blocks = recording->blocks;
  for (const std::string& warning : blocks.warnings) say_warning(warning);
  auto chosen = choose_runs(blocks, *choice, *recording->resolver);
  if (!chosen) return std::unexpected(chosen.error());
  for (const std::string& warning : chosen->warnings) say_warning(warning);

  const std::span<const std::size_t> details =
      std::span(chosen->runs).first(std::min(kDetails, chosen->runs.size()));
  if (!options.compare.empty()) return run_beside(options, *recording, details);

  std::vector<RunListing> listings;
  std::vector<RunExplanation> explanations;
  if (options.format != "csv") {  // which has neither
    listings = list(*recording, details);
    explanations = explain(*recording, details, listings);
  }
  const bool all = choice->function.empty() && !choice->address && choice->line == 0;
  std::vector<BranchEdge> branches;  // as much memory again as the runs
  if (options.format == "json") branches = branches_of(*recording->stacks);
  const BlocksReport report{blocks, *chosen, all, kDetails, listings, explanations, branches};
  const std::string text = options.format == "json"
                               ? blocks_json(report, options.rows(), TACHO_VERSION)
                           : options.format == "csv"
                               ? blocks_csv(report, options.rows())
                               : blocks_text(report, options.rows(), NumberStyle::of_environment());
  // The report first: it does not need a picture that gnuplot can't draw.
  if (auto told = deliver(text, options.output, options.format == "text"); !told) return told;
  return draw_first(options, blocks, *chosen);
}

void add_blocks_options(CLI::App* blocks, const std::shared_ptr<BlocksOptions>& options) {
  add_recording_options(*blocks, options->recording);
  blocks->add_option("--function", options->function, "Runs of this function only")->type_name("F");
  blocks->add_option("--address", options->address, "Runs that pass this address only")
      ->type_name("ADDRESS");
  blocks->add_option("--line", options->line, "Runs with code of this source line only")
      ->option_text("FILE:N");
  CLI::Option_group* formats =
      blocks->add_option_group("formats", "Formats, of which one may be chosen");
  const auto format = [&](const std::string& name, const std::string& what) {
    return formats->add_flag_callback(
        "--" + name, [options, name] { options->format = name; }, what);
  };
  format("json", "As JSON, schema 1");
  CLI::Option* csv =
      format("csv", "How often each number of cycles was seen: cycles,count of one run");
  formats->require_option(0, 1);
  blocks
      ->add_option("--compare", options->compare,
                   "The same runs in this recording, made after something was changed")
      ->type_name("OTHER")
      ->excludes(csv);
  blocks
      ->add_option("--plot", options->plot,
                   "Draw how often the first run took so many cycles, by gnuplot")
      ->type_name("FILE.svg|png");
  blocks->add_option("-o,--output", options->output, "Write here")->type_name("FILE");
  blocks->add_option("-n,--limit", options->limit, "At most so many runs; 0: all (text: 20)")
      ->type_name("N")
      ->transform(decimal(0, 1'000'000'000));
}

}  // namespace

void add_blocks(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  add_reading<BlocksOptions>(program, "blocks",
                             "Show what the code between taken branches costs, from branch stacks",
                             status, add_blocks_options, run_blocks);
}

}  // namespace tacho
