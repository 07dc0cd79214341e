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
  std::size_t loads = 0;  // how many such loads the run has
};

// The first load from an address that is not constant and not on the stack, because loads from
// there usually hit. None if there is no such load, or if the architecture is not x86_64 or
// aarch64. Limit: registers that an instruction writes without naming them are known for common
// instructions only.
std::optional<CodeLoad> first_load(std::string_view architecture,
                                   std::span<const std::string> instructions);

}  // namespace tacho
