// One run in two recordings: before and after something was changed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "blocks/runs.hpp"
#include "stats/difference.hpp"
#include "stats/modes.hpp"

namespace tacho {

// A mode in both recordings, or in one of them only.
struct ModeShift {
  std::optional<std::size_t> before, after;  // in the comparison's modes
  std::optional<Estimated> moved;            // cycles; where it is in both
  Estimated share;                           // gained: of all executions
};

struct RunComparison {
  std::size_t before = 0, after = 0;  // in each recording's Blocks::runs
  std::vector<Mode> modes_before, modes_after;
  std::vector<ModeShift> modes;  // by rising cycles
  Estimated median_before, median_after, median_moved;
  Estimated mean_before, mean_after, mean_moved;
};

// Which run of `after` is this one of `before`: the same code of the same file, or, of another
// build, as many instructions at the same place of a function of the same name. None: no such run
// was seen there.
std::optional<std::size_t> same_run(const Blocks& before, std::size_t run, const Blocks& after);

// None when one of them tells no cycles.
std::optional<RunComparison> compare_runs(const Blocks& before, std::size_t run,
                                          const Blocks& after, std::size_t same);

}  // namespace tacho
