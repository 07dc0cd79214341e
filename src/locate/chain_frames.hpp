// Walks through a call chain in the kernel's form (perf_event_open(2), PERF_SAMPLE_CALLCHAIN).
#pragma once

#include <cstdint>
#include <span>

#include "perfdata/record.hpp"

namespace tacho {

// The mode of the addresses after a mark (PERF_CONTEXT_*).
inline perfdata::Mode mode_after_mark(std::uint64_t mark) {
  switch (static_cast<std::int64_t>(mark)) {
    case -32:
      return perfdata::Mode::hypervisor;
    case -128:
      return perfdata::Mode::kernel;
    case -512:
      return perfdata::Mode::user;
    case -2176:
      return perfdata::Mode::guest_kernel;
    case -2048:
    case -2560:
      return perfdata::Mode::guest_user;
    default:
      return perfdata::Mode::unknown;
  }
}

// Where the callers of a chain are.
enum class Callers : std::uint8_t { all_here, deferred };

// Calls visit(mode, address, is_return_address) for each address, innermost first. The first
// address of each mode is no return address: it was interrupted. Returns `deferred` if the callers
// in user mode are in a later record.
template <class Visit>
Callers for_each_frame(std::span<const std::uint64_t> chain, perfdata::Mode mode, Visit visit) {
  // PERF_CONTEXT_USER_DEFERRED: the number of the later record follows.
  constexpr auto kUserDeferred = static_cast<std::uint64_t>(-640);
  bool interrupted = true;
  for (const std::uint64_t address : chain) {
    if (address == kUserDeferred) return Callers::deferred;
    if (address >= perfdata::kContextMarks) {
      mode = mode_after_mark(address);
      interrupted = true;
      continue;
    }
    visit(mode, address, !interrupted);
    interrupted = false;
  }
  return Callers::all_here;
}

// The address to look up for a frame: a return address can belong to the next line or function, so
// a caller is looked up one byte before it.
inline std::uint64_t looked_up(std::uint64_t address, bool is_return_address) {
  return is_return_address && address > 0 ? address - 1 : address;
}

}  // namespace tacho
