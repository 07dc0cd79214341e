#include "blocks/run_side.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.hpp"
#include "blocks/run_intervals.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostWarnings = 3;  // of the recordings of one option

// Adds the executions of the same run in another recording. Its stacks get numbers from
// `first_stack` on.
void add_executions(CodeRun& sum, const CodeRun& more, std::uint64_t first_stack) {
  sum.count += more.count;
  sum.mispredicted += more.mispredicted;
  sum.with_prediction += more.with_prediction;
  for (const auto& [value, count] : more.cycles.bins()) sum.cycles.add(value, count);
  sum.cycle_sum += more.cycle_sum;
  for (KeptExecution each : more.kept) {
    each.stack += static_cast<std::uint32_t>(first_stack);
    sum.kept.push_back(each);
  }
  sum.even_executions += more.even_executions;
  sum.even_cycles += more.even_cycles;
}

// The name of the run with most cycles in a function; empty if there is none.
std::string largest_of_function(const Blocks& blocks, const std::string& function) {
  const auto found = std::ranges::find(blocks.runs, function, &CodeRun::function);
  if (function.empty() || found == blocks.runs.end()) return {};
  return run_name(*found, blocks);
}

std::optional<RunFigures> figures_of(const CodeRun& run) {
  if (run.cycles.empty()) return {};
  return RunFigures{static_cast<double>(run.cycles.quantile(0.5)), mean95(run).value, run.count};
}

}  // namespace

void RunSide::add(const std::string& file, const BranchRecording& recording, const Blocks& first,
                  std::span<const std::size_t> chosen) {
  const Blocks& more = recording.blocks;
  if (files.empty()) {
    blocks.cpu = more.cpu;
    blocks.command = more.command;
    runs.resize(chosen.size());
    nearest.resize(chosen.size());
  }
  files.push_back(file);
  origins.push_back(recording.origin);
  damaged = damaged || recording.damaged;
  std::vector<std::optional<RunFigures>>& here = figures.emplace_back(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto same = same_run(first, chosen[i], more);
    if (!same) {
      nearest[i] = largest_of_function(more, first.runs[chosen[i]].function);
      continue;
    }
    const CodeRun& run = more.runs[*same];
    here[i] = figures_of(run);
    if (runs[i]) {
      add_executions(blocks.runs[*runs[i]], run, blocks.stacks_kept);
      continue;
    }
    runs[i] = blocks.runs.size();
    CodeRun& copy = blocks.runs.emplace_back(run);
    for (KeptExecution& each : copy.kept)
      each.stack += static_cast<std::uint32_t>(blocks.stacks_kept);
    copy.module = static_cast<std::uint32_t>(blocks.modules.size());
    blocks.modules.push_back(more.modules[run.module]);
  }
  blocks.stacks_kept += more.stacks_kept;
}

Result<std::vector<std::string>> RunSide::read(const NamedRecordings& named,
                                               const RecordingInput& reading, const Blocks& first,
                                               std::span<const std::size_t> chosen) {
  std::vector<std::string> warnings;
  for (const std::string& file : named.files) {
    RecordingInput input = reading;
    input.file = file;
    input.event = first.event;  // cycles at samples of another event are those of other code
    const auto recording = read_branches(input, LoopsAndChains::unwanted);
    if (!recording)
      return failure(fmt::format("{} {}: {}", named.option, file, recording.error().what),
                     recording.error().remedy);
    for (const std::string& warning : recording->blocks.warnings)
      warnings.push_back(fmt::format("{}: {}", file, warning));
    add(file, *recording, first, chosen);
  }
  if (warnings.size() > kMostWarnings) {
    const std::size_t more = warnings.size() - kMostWarnings;
    warnings.resize(kMostWarnings);
    warnings.push_back(
        fmt::format("{} about other recordings of {}: tacho blocks -i FILE shows those of one",
                    plural(more, "more warning", {}), named.option));
  }
  return warnings;
}

std::optional<std::size_t> same_run(const Blocks& before, std::size_t run, const Blocks& after) {
  const CodeRun& wanted = before.runs[run];
  const RunModule& module = before.modules[wanted.module];
  const auto find = [&](auto is_same) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(after.runs, is_same);
    if (found == after.runs.end()) return std::nullopt;
    return static_cast<std::size_t>(found - after.runs.begin());
  };
  const auto same_code = find([&](const CodeRun& each) {
    const RunModule& other = after.modules[each.module];
    const bool same_file = module.build_id.empty() || other.build_id.empty()
                               ? module.path == other.path
                               : module.build_id == other.build_id;
    return same_file && each.start == wanted.start && each.end == wanted.end;
  });
  if (same_code || wanted.function.empty()) return same_code;
  return find([&](const CodeRun& each) {
    return each.function == wanted.function && each.function_offset == wanted.function_offset &&
           each.instructions == wanted.instructions &&
           each.end - each.start == wanted.end - wanted.start;
  });
}

}  // namespace tacho
