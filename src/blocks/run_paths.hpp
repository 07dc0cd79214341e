// How runs follow each other: loops with their trip counts, and chains of runs (hyperblocks).
#pragma once

#include <cstdint>
#include <span>

#include "blocks/branch_stacks.hpp"
#include "blocks/runs.hpp"

namespace tacho {

// Adds loops and chains, of the stacks that were kept whole. `run_of` has for each step its run in
// Blocks::runs, or kNoRun.
void follow_runs(const BranchStacks&, std::span<const std::uint32_t> run_of, Blocks&);

}  // namespace tacho
