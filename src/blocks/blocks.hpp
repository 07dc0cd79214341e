// From counted branch stacks to runs: of several processes together, with names and instructions
// where the files are here.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks/branch_stacks.hpp"
#include "blocks/runs.hpp"
#include "locate/resolver.hpp"

namespace tacho {

// Loops and chains of runs: a fifth of the time, for who shows none.
enum class Paths : std::uint8_t { followed, left_out };

// Errors: no sample has a branch stack.
Result<Blocks> blocks_of(const BranchStacks&, const perfdata::Description&, Resolver&,
                         Paths paths = Paths::followed);

// Every branch, most frequent first.
std::vector<BranchEdge> branches_of(const BranchStacks&);

}  // namespace tacho
