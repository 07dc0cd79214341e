// Explains the cycles of a run: the cycles that it needs if nothing misses, the extra cycles of its
// slow executions, and how many of them a prefetch can hide. docs/reference/blocks.md says what is
// inferred and what is assumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blocks/code_loads.hpp"
#include "blocks/code_runs.hpp"
#include "blocks/core_facts.hpp"
#include "blocks/run_listing.hpp"
#include "blocks/static_cost.hpp"
#include "stats/modes.hpp"
#include "stats/share.hpp"

namespace tacho {

// The source of a number of cycles.
enum class CostBasis {
  analysed,  // the estimate of llvm-mca for the core
  width,     // instructions by the core's width, without jumps that may be fused with a comparison
  observed,  // the fastest executions, or a part of them in proportion to the instructions
};

struct RunCost {
  double cycles = 0;
  CostBasis basis = CostBasis::observed;
};

// A mode that is slower than the run would be if nothing missed.
struct SlowMode {
  std::size_t mode = 0;  // index into RunExplanation::modes
  double extra = 0;      // cycles; taken as the cost of the miss
};

// The work between the point where a load's address is known, and the load. A prefetch at that
// point hides as many cycles of a miss.
struct PrefetchWindow {
  std::size_t instructions = 0;
  RunCost cost;       // of these instructions
  double extra = 0;   // extra cycles of the slowest mode
  double hidden = 0;  // how many of them the prefetch hides at most
  double saving = 0;  // share of all cycles of the run that the prefetch saves at most
  ShareInterval saving95;
  // How many rounds ahead of the load the prefetch must be issued to hide all extra cycles, and the
  // cycles of a round if nothing misses.
  double ahead = 0;
  double round = 0;
};

struct RunExplanation {
  std::size_t run = 0;  // index into Blocks::runs
  std::vector<Mode> modes;
  // Cycles; `fastest` is the first percentile.
  std::uint64_t least = 0, fastest = 0, median = 0;
  std::optional<CoreFacts> core;
  std::optional<StaticCost> analysed;
  std::optional<double> by_width;  // cycles
  RunCost floor;                   // the run's cost if nothing misses
  std::vector<SlowMode> slow;
  bool has_code = false;
  std::optional<CodeLoad> load;
  std::string load_text;
  // Largest share of executions, at 95 %, of a kind that none of those seen shows. If it is more
  // than the least share of a mode (kLeastModeShare), a mode may be missing, and there is no
  // advice.
  double unseen = 1;
  bool is_seen_enough() const;
  std::optional<PrefetchWindow> window;  // if there are a load and a slow mode, and enough was seen
};

// `listing` is null if the code is not here. None if the run has no cycles.
std::optional<RunExplanation> explain_run(const Blocks&, std::size_t run, const RunListing* listing,
                                          const std::optional<CoreFacts>&,
                                          const std::optional<StaticCost>&);

// The input for the machine code analyser: the instructions of a listing, and which of them lie
// between the point where the address of the likely miss is known, and the load.
struct AnalysedCode {
  std::vector<std::string> instructions;
  std::optional<CodeLoad> load;
};
AnalysedCode code_of(const Blocks&, const RunListing&);

}  // namespace tacho
