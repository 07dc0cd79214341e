// Finds the runs that a user means by a function, an address or a source line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "blocks/code_runs.hpp"
#include "locate/resolver.hpp"

namespace tacho {

// The runs that a user wants to see: those for which every given condition holds.
struct RunChoice {
  std::string function;
  std::optional<std::uint64_t> address;  // within the run, as in the file or as recorded
  std::string file;                      // with `line`; the last parts of the path are enough
  unsigned line = 0;

  bool is_everything() const { return function.empty() && !address && line == 0; }
};

struct ChosenRuns {
  std::vector<std::size_t> runs;  // indices of Blocks::runs, in rising order
  std::vector<std::string> warnings;
};

// All runs, if the choice has no condition. Errors: there is no such run. The remedy names the
// nearest functions.
Result<ChosenRuns> choose_runs(const Blocks&, const RunChoice&, Resolver&);

}  // namespace tacho
