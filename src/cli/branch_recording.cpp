#include "cli/branch_recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "profile/summary.hpp"

namespace tacho {
namespace {

// Stacks of other events, where none was chosen.
std::optional<std::string> of_other_events(const BranchStacks& stacks,
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

// What the counts can't say of themselves.
std::vector<std::string> branch_warnings(const Blocks& blocks) {
  std::vector<std::string> warnings;
  if (!blocks.every_branch)
    warnings.emplace_back(
        "the recording kept some kinds of branches only, so that the code between two of them did "
        "not run straight: there are no runs, only branches (--json has them); record with '-b'");
  else if (!blocks.has_cycles)
    warnings.emplace_back(
        "no branch tells its cycles, so there are executions and mispredictions only: Intel's "
        "processors tell them from Skylake and Goldmont Plus on, ARM's with BRBE, and AMD's do "
        "not");
  std::uint64_t runs = 0, executions = 0;
  for (const Run& run : blocks.runs)
    if (const std::uint64_t saturated = run.saturated(); saturated > 0) {
      ++runs;
      executions += saturated;
    }
  if (runs > 0)
    warnings.push_back(fmt::format(
        "{} of {} took {} cycles or more, and a branch stack can't tell how many more: the cycles "
        "of these runs are lower bounds, and so are those of loops and chains through them; their "
        "IPC is an upper bound",
        plural(executions, "execution", {}), plural(runs, "run", {}), kMostCycles));
  return warnings;
}

}  // namespace

Result<BranchRecording> read_branches(const RecordingOptions& options, Paths paths) {
  auto reader = open_recording(options);
  if (!reader) return std::unexpected(reader.error());
  BranchRecording made;
  made.reader = std::move(*reader);
  made.stacks = std::make_unique<BranchStacks>(options.event);
  const perfdata::Description& description = made.reader->description();
  ReadThrough read = read_through(
      *made.reader, [&](const perfdata::Record& record) { made.stacks->add(record, description); });
  made.stacks->finish(description);
  if (!options.event.empty())
    if (const auto event = named_event(options.event, description); !event)
      return std::unexpected(event.error());
  made.resolver =
      std::make_unique<Resolver>(made.stacks->modules(), description, symbol_sources(options));
  auto blocks = blocks_of(*made.stacks, description, *made.resolver, paths);
  if (!blocks) return std::unexpected(read.damage ? *read.damage : blocks.error());
  made.blocks = std::move(*blocks);
  std::vector<std::string>& warnings = made.blocks.warnings;
  if (options.event.empty())
    if (auto others = of_other_events(*made.stacks, description)) warnings.push_back(*others);
  for (const auto& more : {read.warnings, branch_warnings(made.blocks), made.resolver->warnings()})
    warnings.insert(warnings.end(), more.begin(), more.end());
  return made;
}

}  // namespace tacho
