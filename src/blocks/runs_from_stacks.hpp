// Makes runs from counted branch stacks. Executions of several processes are put together. Runs
// have names and instructions if the files are here.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks/branch_stacks.hpp"
#include "blocks/code_runs.hpp"
#include "locate/resolver.hpp"

namespace tacho {

// Whether to look for loops and chains, which takes a fifth of the time.
enum class LoopsAndChains : std::uint8_t { wanted, unwanted };

// Errors: no sample has a branch stack.
Result<Blocks> blocks_of(const BranchStacks&, const perfdata::Description&, Resolver&,
                         LoopsAndChains loops_and_chains = LoopsAndChains::wanted);

// All branches, most frequent first.
std::vector<BranchEdge> branches_of(const BranchStacks&);

}  // namespace tacho
