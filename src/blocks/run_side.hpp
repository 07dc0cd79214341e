// The same code runs in the recordings of one program, before or after a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "blocks/branch_recording.hpp"
#include "blocks/code_runs.hpp"
#include "locate/recording_pairs.hpp"

namespace tacho {

// A code run in one recording.
struct RunFigures {
  double median = 0, mean = 0;  // cycles of an execution
  std::uint64_t executions = 0;
  bool operator==(const RunFigures&) const = default;
};

// The files that a user gave with an option.
struct NamedRecordings {
  std::string_view option;
  std::span<const std::string> files;
};

// The chosen code runs are numbered from 0, on both sides alike.
struct RunSide {
  std::vector<std::string> files;
  std::vector<RecordingOrigin> origins;  // of each recording
  bool damaged = false;                  // at least one recording
  // Of the first recording, but with the chosen code runs alone. Each has the executions of all
  // recordings.
  Blocks blocks;
  std::vector<std::optional<std::size_t>> runs;  // indices of blocks.runs; none: never seen
  // Of a run that a recording does not have: the name of the run with most cycles in the same
  // function. Empty if there is none.
  std::vector<std::string> nearest;
  // By recording and code run; none if the recording does not have it with cycles.
  std::vector<std::vector<std::optional<RunFigures>>> figures;

  bool has_cycles(std::size_t run) const {
    return runs[run] && !blocks.runs[*runs[run]].cycles.empty();
  }

  // Adds a recording's executions of the runs with these indices of `first`, which is the first
  // recording before the change. `file` is the recording's name.
  void add(const std::string& file, const BranchRecording&, const Blocks& first,
           std::span<const std::size_t> chosen);

  // Reads these recordings, and adds them. Returns what makes them doubtful. Errors are those of
  // read_branches(), with the option and the file.
  Result<std::vector<std::string>> read(const NamedRecordings&, const RecordingInput& reading,
                                        const Blocks& first, std::span<const std::size_t> chosen);
};

// Finds a run of `before` in `after`: the same code of the same file. If the build is another one:
// as many instructions and bytes, at the same offset in a function of the same name. None if
// `after` has no such run.
std::optional<std::size_t> same_run(const Blocks& before, std::size_t run, const Blocks& after);

}  // namespace tacho
