// Compares code runs of recordings before and after a change of the program.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "blocks/run_side.hpp"
#include "locate/recording_pairs.hpp"
#include "stats/difference.hpp"
#include "stats/holm.hpp"
#include "stats/modes.hpp"

namespace tacho {

// A mode that is on both sides, or on one of them only.
struct ModeShift {
  std::optional<std::size_t> before, after;  // indices of modes_before and modes_after
  std::optional<Estimated> moved;            // by how many cycles; if it is in both
  Estimated share;                           // by how much its share of the executions grew
};

struct RunComparison {
  std::size_t run = 0;                // number of the chosen run
  std::size_t before = 0, after = 0;  // indices of Blocks::runs of each side
  std::vector<Mode> modes_before, modes_after;
  std::vector<ModeShift> modes;  // by rising cycles
  // Of all executions of a side; if the evidence is pairs, means over the recordings.
  Estimated median_before, median_after, median_moved;
  Estimated mean_before, mean_after, mean_moved;
  std::optional<HolmTest> test;  // of the mean; none: not tested
  std::size_t pairs = 0;         // of recordings that both have the run, if these are the evidence
  std::uint64_t saturated = 0;  // executions: if there are any, the change of the mean is not known
  // With the pairs that there are, it could not be tested beside the others. None: it was.
  std::optional<std::size_t> pairs_needed;
};

struct ComparedRuns {
  Evidence evidence = Evidence::too_few;
  RecordingOrder order = RecordingOrder::unknown;
  std::vector<RunComparison> runs;
  std::vector<std::size_t>
      missing;  // numbers of chosen runs that a side has not, or without cycles
};
// Compares the chosen runs of two programs. Both sides have at least one recording.
//
// If the evidence is pairs, each recording gives one median and one mean, and their changes are
// tested and have intervals as `tacho compare` does it: by the differences of pairs, with the
// signed-rank test, the first run by itself and the others together (stats/paired_changes.hpp).
// Modes have no intervals then.
// Otherwise the changes are those of all executions, and their intervals say nothing about other
// recordings.
ComparedRuns compare_runs(const RunSide& before, const RunSide& after);

}  // namespace tacho
