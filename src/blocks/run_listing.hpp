// A run's instructions with their source, and which runs a user means.
#pragma once

#include <vector>

#include "blocks/runs.hpp"
#include "locate/resolver.hpp"

namespace tacho {

// Errors: the run's file is not here, or its architecture can't be shown.
Result<RunListing> list_run(const Blocks&, std::size_t run, Resolver&);

struct ChosenRuns {
  std::vector<std::size_t> runs;  // in Blocks::runs, in their order
  std::vector<std::string> warnings;
};
// All of them where nothing is asked for. Errors: there is no such run; the remedy names what there
// is instead.
Result<ChosenRuns> choose_runs(const Blocks&, const RunChoice&, Resolver&);

}  // namespace tacho
