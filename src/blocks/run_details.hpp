// Details of some runs: their instructions, and an explanation of their cycles.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "blocks/branch_recording.hpp"
#include "blocks/run_explanation.hpp"
#include "blocks/run_listing.hpp"

namespace tacho {

struct RunDetails {
  std::vector<RunListing> listings;          // of the runs whose code is here
  std::vector<RunExplanation> explanations;  // of the runs that have cycles
  std::vector<std::string> warnings;
  std::string note;  // why llvm-mca gave no estimate; empty if it did
};

// Disassembles these runs. Asks llvm-mca for the cycles that each should take.
RunDetails describe_runs(const BranchRecording&, std::span<const std::size_t> runs);

}  // namespace tacho
