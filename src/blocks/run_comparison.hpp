// Compares runs of two recordings: before and after a change of the program.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "blocks/code_runs.hpp"
#include "stats/difference.hpp"
#include "stats/modes.hpp"

namespace tacho {

// A mode that is in both recordings, or in one of them only.
struct ModeShift {
  std::optional<std::size_t> before, after;  // indices of modes_before and modes_after
  std::optional<Estimated> moved;            // by how many cycles; if it is in both
  Estimated share;                           // by how much its share of the executions grew
};

struct RunComparison {
  std::size_t before = 0, after = 0;  // indices of Blocks::runs of each recording
  std::vector<Mode> modes_before, modes_after;
  std::vector<ModeShift> modes;  // by rising cycles
  Estimated median_before, median_after, median_moved;
  Estimated mean_before, mean_after, mean_moved;
};

// Finds a run of `before` in `after`: the same code of the same file. If the build is another one:
// as many instructions and bytes, at the same offset in a function of the same name. None if
// `after` has no such run.
std::optional<std::size_t> same_run(const Blocks& before, std::size_t run, const Blocks& after);

// None if one of the two has no cycles.
std::optional<RunComparison> compare_runs(const Blocks& before, std::size_t run,
                                          const Blocks& after, std::size_t same);

struct ComparedRuns {
  std::vector<RunComparison> runs;
  std::vector<std::size_t> missing;  // indices of runs of `before` that cannot be compared
};
// Compares each of these runs of `before` with the same run of `after`.
ComparedRuns compare_all(const Blocks& before, std::span<const std::size_t> runs,
                         const Blocks& after);

}  // namespace tacho
