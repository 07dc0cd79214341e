// The call chain of a sample whose branch stack has the calls that have not returned
// (--call-graph lbr, PERF_SAMPLE_BRANCH_CALL_STACK). A core that keeps such a stack takes an entry
// away when its call returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perfdata/record.hpp"

namespace tacho {

struct RemainingCalls {
  // In the kernel's form: its own part as recorded, then the mark of user mode, the interrupted
  // instruction, and one byte after each call instruction, where a return address would be.
  std::vector<std::uint64_t> chain;
  bool cut = false;  // the stack was full, and the frame pointers do not go on from its last call
};

// The recorded chain follows frame pointers. Its part in user mode is used where the branch stack
// ends, and only if it contains the last call of the branch stack: code without frame pointers
// leads it astray. The chain is empty if the sample has no such part or no calls. `deepest` is the
// largest number of entries of a sample so far.
RemainingCalls remaining_calls(const perfdata::Sample&, std::size_t deepest);

}  // namespace tacho
