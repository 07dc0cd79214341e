#include "blocks/branch_recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/number.hpp"

namespace tacho {
namespace {

// A warning if other events have branch stacks, too.
std::optional<std::string> other_events_warning(const BranchStacks& stacks,
                                                const perfdata::Description& recording) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < stacks.left_out().size(); ++i)
    if (const std::uint64_t samples = stacks.left_out()[i]; samples > 0)
      others.push_back(
          fmt::format("{} of {}", plural(samples, "sample", {}), recording.events[i].name));
  if (others.empty()) return std::nullopt;
  return fmt::format("{} have branch stacks, too, and are left out: choose an event by --event",
                     fmt::join(others, " and "));
}

// Share of the stacks: fewer that overlap hardly change an interval.
constexpr double kManyOverlap = 0.1;
// Samples by cycles are worth a warning if they change the mean of a run by this share. Only runs
// with this share of all cycles count.
constexpr double kMeanChanges = 0.1;
constexpr double kManyCycles = 0.05;

// A warning if slow stretches of a run were sampled more often than fast ones.
std::optional<std::string> favoured_slow_stretches(const Blocks& blocks) {
  double all = 0;
  for (const CodeRun& run : blocks.runs) all += static_cast<double>(run.cycle_sum);
  for (const CodeRun& run : blocks.runs) {  // most cycles first
    if (static_cast<double>(run.cycle_sum) < kManyCycles * all || run.cycles.empty()) break;
    if (run.even_executions == 0) continue;
    const double mean = run.even_cycles / run.even_executions;
    const double in_stacks =
        static_cast<double>(run.cycle_sum) / static_cast<double>(run.cycles.total());
    if (in_stacks < (1 + kMeanChanges) * mean) continue;
    return fmt::format(
        "samples some cycles apart show slow stretches more often than fast ones: an execution of "
        "{} takes {:.0f} cycles on average in the stacks, but about {:.0f} over the whole program; "
        "'-e branches' samples all executions alike",
        run_name(run, blocks), in_stacks, mean);
  }
  return std::nullopt;
}

// Warnings about limits of the recorded branches.
std::vector<std::string> branch_warnings(const Blocks& blocks) {
  std::vector<std::string> warnings;
  if (!blocks.every_branch)
    warnings.emplace_back(
        "the recording has some kinds of branches only, so the code between two of them is not "
        "straight-line code: there are no code runs, only branches (in --json); record with '-b'");
  else if (!blocks.has_cycles)
    warnings.emplace_back(
        "no branch has cycles, so only executions and mispredictions are shown: Intel's "
        "processors record cycles from Skylake and Goldmont Plus on, ARM's with BRBE, and AMD's do "
        "not");
  if (static_cast<double>(blocks.overlapping) > kManyOverlap * static_cast<double>(blocks.samples))
    warnings.push_back(fmt::format(
        "{} of {} are longer than the period between two samples: they have executions in common, "
        "so intervals are too narrow; record with a longer period (-c)",
        whole(blocks.overlapping, {}), plural(blocks.samples, "branch stack", {})));
  if (auto favoured = favoured_slow_stretches(blocks)) warnings.push_back(*favoured);
  if (blocks.not_counted > 0)
    warnings.push_back(fmt::format("{} left out: the recording has too many different branches",
                                   plural(blocks.not_counted, "branch stack", {})));
  if (blocks.not_followed > 0)
    warnings.push_back(
        fmt::format("the instructions of {} are not counted: all runs together have too many",
                    plural(blocks.not_followed, "run", {})));
  std::uint64_t runs = 0, executions = 0;
  for (const CodeRun& run : blocks.runs)
    if (const std::uint64_t saturated = run.saturated(); saturated > 0) {
      ++runs;
      executions += saturated;
    }
  if (runs > 0)
    warnings.push_back(fmt::format(
        "{} of {} took {} cycles or more, and a branch stack holds no larger numbers: the cycles "
        "of these runs, and of loops and chains through them, are lower bounds; their IPC is an "
        "upper bound",
        plural(executions, "execution", {}), plural(runs, "run", {}), kMostCycles));
  return warnings;
}

}  // namespace

Result<BranchRecording> read_branches(const RecordingInput& input,
                                      LoopsAndChains loops_and_chains) {
  BranchRecording made;
  made.reader = TACHO_TRY(open_recording(input));
  made.stacks = std::make_unique<BranchStacks>(input.event);
  const perfdata::Description& description = made.reader->description();
  SampleFilter filter = TACHO_TRY(sample_filter(input, description));
  ReadThrough read = read_through(*made.reader, [&](const perfdata::Record& record) {
    const auto* sample = std::get_if<perfdata::Sample>(&record.what);
    if (!filter.keeps(record, description) && sample != nullptr) return;
    made.stacks->add(record, description);
    if (sample == nullptr || !sample->time_ns) return;
    made.origin.first_ns =
        std::min(made.origin.first_ns.value_or(*sample->time_ns), *sample->time_ns);
    made.origin.last_ns = std::max(made.origin.last_ns.value_or(0), *sample->time_ns);
  });
  TACHO_TRY(filter.check());
  made.chosen = filter.chosen();
  made.stacks->finish(description);
  made.origin.host = description.host;
  made.origin.kernel = description.kernel;
  made.origin.cpu = description.cpu;
  made.origin.architecture = description.architecture;
  made.damaged = read.damage.has_value();
  if (!input.event.empty()) std::ignore = TACHO_TRY(named_event(input.event, description));
  made.resolver =
      std::make_unique<Resolver>(made.stacks->modules(), description, symbol_sources(input));
  auto blocks = blocks_of(*made.stacks, description, *made.resolver, loops_and_chains);
  if (!blocks) return std::unexpected(read.damage ? *read.damage : blocks.error());
  made.blocks = std::move(*blocks);
  std::vector<std::string>& warnings = made.blocks.warnings;
  if (input.event.empty())
    if (auto others = other_events_warning(*made.stacks, description)) warnings.push_back(*others);
  for (const auto& more : {read.warnings, branch_warnings(made.blocks), made.resolver->warnings()})
    warnings.insert(warnings.end(), more.begin(), more.end());
  return made;
}

}  // namespace tacho
