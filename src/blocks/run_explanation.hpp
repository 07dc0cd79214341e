// Why a run takes the cycles that it takes: what it should cost, what its slow executions cost
// more, and how much of that a prefetch could hide. docs/reference/blocks.md says what is inferred
// and what assumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blocks/code_loads.hpp"
#include "blocks/core_facts.hpp"
#include "blocks/runs.hpp"
#include "blocks/static_cost.hpp"
#include "stats/modes.hpp"
#include "stats/share.hpp"

namespace tacho {

// Where a number of cycles is from.
enum class CostBasis {
  analysed,  // llvm-mca's estimate for the core
  width,     // instructions over the core's width, those left out that may be fused with others
  observed,  // the fastest executions, or a part of them by instructions
};

struct RunCost {
  double cycles = 0;
  CostBasis basis = CostBasis::observed;
};

// A mode that is slower than what the run costs when nothing misses.
struct SlowMode {
  std::size_t mode = 0;  // in `modes`
  double extra = 0;      // cycles: read as what the miss costs
};

struct PrefetchWindow {
  std::size_t instructions = 0;  // from where the address is known to the load
  RunCost cost;                  // of these
  // Of the slowest mode's extra cycles, what a prefetch at the window's beginning hides at most.
  double hidden = 0;
  double extra = 0;
  // What that saves at most of all cycles of the run: a share.
  double saving = 0;
  ShareInterval saving95;  // as far as which executions were seen makes it unsure
  // How many rounds ahead of the load it must be issued to hide all, if each takes so many cycles
  // when nothing misses.
  double ahead = 0;
  double round = 0;
};

struct RunExplanation {
  std::size_t run = 0;  // in Blocks::runs
  std::vector<Mode> modes;
  std::uint64_t least = 0, fastest = 0,
                median = 0;  // fastest: one execution in a hundred is faster
  std::optional<CoreFacts> core;
  std::optional<StaticCost> analysed;
  std::optional<double> by_width;  // cycles
  RunCost floor;                   // what the run costs when nothing misses
  std::vector<SlowMode> slow;
  bool has_code = false;
  std::optional<CodeLoad> load;
  std::string load_text;
  std::optional<PrefetchWindow> window;  // where there is a load, and a slow mode
};

// `listing` is null where the code is not here. Nothing to explain without cycles: none.
std::optional<RunExplanation> explain_run(const Blocks&, std::size_t run, const RunListing* listing,
                                          const std::optional<CoreFacts>&,
                                          const std::optional<StaticCost>&);

// What the analyser is to be asked of a listing: its instructions, and which of them lie between
// where the first load's address is known and the load.
struct AnalysedCode {
  std::vector<std::string> instructions;
  std::optional<CodeLoad> load;
};
AnalysedCode code_of(const Blocks&, const RunListing&);

}  // namespace tacho
