// The load of a run that may miss, and the work before it that does not need it: read from the
// instructions' text.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Positions in the run's instructions.
struct CodeLoad {
  std::size_t at = 0;     // the load
  std::size_t known = 0;  // the first instruction before which all of its address is known: 0 when
                          // nothing in the run makes it
  std::size_t loads = 0;  // how many such loads the run has
};

// The first load of a run from an address that is not the stack's and no constant: those hit, as a
// rule. None when there is none, or the machine's instructions are not known (x86_64 and aarch64
// are). A register that an instruction writes without naming it is known for the usual ones only.
std::optional<CodeLoad> first_load(std::string_view architecture,
                                   std::span<const std::string> instructions);

}  // namespace tacho
