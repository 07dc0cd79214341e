#include "locate/calls_that_remain.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace tacho {
namespace {

// Bytes of the longest x86 instruction: a call's return address is at most this far behind it.
constexpr std::uint64_t kLongestInstruction = 15;
// Entries of a full stack: Haswell and Broadwell, then Skylake, Goldmont Plus and later
// (arch/x86/events/intel/lbr.c).
constexpr std::array<std::size_t, 2> kFull{16, 32};

bool returns_to(std::uint64_t address, std::uint64_t call) {
  return address > call && address - call <= kLongestInstruction;
}

// The place of the call's return address in the chain of frame pointers; 0 if it is not there. The
// pointers can leave functions out, but not add any. So in a recursion it is the outermost one that
// is not further out than the calls.
std::size_t place_of_call(std::span<const std::uint64_t> pointers, std::uint64_t call,
                          std::size_t calls) {
  std::size_t place = pointers.empty() ? 0 : std::min(calls, pointers.size() - 1);
  while (place > 0 && !returns_to(pointers[place], call)) --place;
  return place;
}

bool is_full(std::size_t entries, std::size_t deepest) {
  return entries == std::max(entries, deepest) && std::ranges::find(kFull, entries) != kFull.end();
}

}  // namespace

RemainingCalls remaining_calls(const perfdata::Sample& sample, std::size_t deepest) {
  const auto mark = std::ranges::find(sample.chain, perfdata::kUserMark);
  const bool in_user_mode = sample.mode == perfdata::Mode::user;
  if (sample.branches.empty() || (mark == sample.chain.end() && !in_user_mode)) return {};
  RemainingCalls calls;
  calls.chain.assign(sample.chain.begin(), mark);
  calls.chain.push_back(perfdata::kUserMark);
  const std::span pointers = mark == sample.chain.end() ? std::span<const std::uint64_t>()
                                                        : std::span(mark + 1, sample.chain.end());
  // A sample in the kernel has the address of the system call or of the interrupt here. Without
  // it, the last call's target is in the right function.
  if (in_user_mode && sample.ip)
    calls.chain.push_back(*sample.ip);
  else
    calls.chain.push_back(pointers.empty() ? sample.branches.front().to : pointers.front());
  std::uint64_t last_call = 0;
  std::size_t kept = 0;
  for (const perfdata::Branch& branch : sample.branches) {
    if (branch.from == 0) break;  // an entry that was not filled yet
    last_call = branch.from;
    calls.chain.push_back(branch.from + 1);
    ++kept;
  }
  if (const std::size_t place = place_of_call(pointers, last_call, kept); place > 0)
    calls.chain.insert(calls.chain.end(), pointers.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                       pointers.end());
  else
    calls.cut = is_full(kept, deepest);
  return calls;
}

}  // namespace tacho
