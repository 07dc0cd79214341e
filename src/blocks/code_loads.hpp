// Finds the load of a run that may miss, and the instructions before it that do not need it. It
// reads the text of the instructions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Indices of instructions of the run.
struct CodeLoad {
  std::size_t at = 0;  // the load
  // The first instruction before which the load's address is known: 0 if no instruction of the run
  // computes it.
  std::size_t known = 0;
  std::size_t loads = 0;    // how many such loads the run has
  std::size_t walking = 0;  // how many before it go through memory in small steps
};

// The load that is the likeliest to miss. Loads from a constant address or from the stack are left
// out, because they usually hit. Of the others, it is the first one that does not go through memory
// in steps of at most a cache line: in a[index[i]], the indices lie side by side, and the elements
// do not. If there is none, it is the first one. None if there is no load, or if the architecture
// is not x86_64 or aarch64. Limit: registers that an instruction writes without naming them are
// known for common instructions only.
std::optional<CodeLoad> likely_miss(std::string_view architecture,
                                    std::span<const std::string> instructions);

}  // namespace tacho
