// Checks the branch stacks of a loop whose only branch, and whose cycles, are known.
#pragma once

#include <span>

#include "doctor/prove/bench.hpp"
#include "doctor/prove/loops.hpp"
#include "perfdata/record.hpp"

namespace tacho::prove {

// All entries of the stacks of samples in the loop.
Proof judge_branches(std::span<const perfdata::Branch> entries, const ChainCode& code);

Proof prove_branch_stacks(const Bench& bench);

}  // namespace tacho::prove
