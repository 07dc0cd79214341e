#include "blocks/branch_recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
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
  ReadThrough read = read_through(
      *made.reader, [&](const perfdata::Record& record) { made.stacks->add(record, description); });
  made.stacks->finish(description);
  if (!input.event.empty()) TACHO_TRY(named_event(input.event, description));
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
