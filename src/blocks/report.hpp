// The report of `tacho blocks`, as text, JSON and CSV: text.cpp, json.cpp and csv.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/number.hpp"
#include "blocks/code_runs.hpp"
#include "blocks/run_choice.hpp"
#include "blocks/run_explanation.hpp"
#include "blocks/run_listing.hpp"
#include "report/terminal.hpp"
#include "report/text_sink.hpp"

namespace tacho {

// The chosen runs, with the code of some of them.
struct BlocksReport {
  const Blocks& blocks;
  const ChosenRuns& chosen;
  bool all = true;                       // the user chose no part of the runs
  std::size_t details = 0;               // how many of the chosen runs the text shows in detail
  std::span<const RunListing> listings;  // of these runs, those that have code
  std::span<const RunExplanation> explanations;  // of these runs, those that have cycles
  std::span<const BranchEdge> branches;          // for JSON only
};

// At most `limit` runs, loops and chains each; 0: all.
std::string blocks_text(const BlocksReport&, std::size_t limit, const TextStyle&);
void blocks_json(const BlocksReport&, std::size_t limit, std::string_view version, const TextSink&);
// How often each number of cycles was seen. The columns are `cycles,count` for one run; for
// several, columns that name the run come first.
std::string blocks_csv(const BlocksReport&, std::size_t limit);

}  // namespace tacho
