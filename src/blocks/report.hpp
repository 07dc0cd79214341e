// What `tacho blocks` prints of branch stacks. One file a format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/number.hpp"
#include "blocks/run_explanation.hpp"
#include "blocks/run_listing.hpp"
#include "blocks/runs.hpp"

namespace tacho {

// The runs that were asked for, with the code of some of them.
struct BlocksReport {
  const Blocks& blocks;
  const ChosenRuns& chosen;
  bool all = true;                       // nothing was asked for: they are all there are
  std::size_t details = 0;               // of so many of the chosen text shows all that is known
  std::span<const RunListing> listings;  // of those of them that have code
  std::span<const RunExplanation> explanations;  // of those of them that have cycles
  std::span<const BranchEdge> branches;          // JSON has them
};

// Of `limit` runs, loops and chains each; 0: all.
std::string blocks_text(const BlocksReport&, std::size_t limit, const NumberStyle&);
std::string blocks_json(const BlocksReport&, std::size_t limit, std::string_view version);
// How often each number of cycles was seen: `cycles,count` of one run; of several, with the run
// before it.
std::string blocks_csv(const BlocksReport&, std::size_t limit);

// What a run is called: its function and the offset in it, or its module and address.
std::string run_name(const Run&, const Blocks&);

}  // namespace tacho
