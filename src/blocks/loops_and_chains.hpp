// Finds how runs follow each other: loops with their trip counts, and chains of runs (hyperblocks).
#pragma once

#include <cstdint>
#include <span>

#include "blocks/branch_stacks.hpp"
#include "blocks/code_runs.hpp"

namespace tacho {

// Adds the loops and chains in the stacks that were kept. `run_of` has the run of each step as an
// index of Blocks::runs, or kNoRun.
void find_loops_and_chains(const BranchStacks&, std::span<const std::uint32_t> run_of, Blocks&);

}  // namespace tacho
