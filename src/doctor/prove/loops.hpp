// Work whose counts and cycles are known, beside the loops of pmu/trust.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacho::prove {

// Whether this processor's architecture has the chains below in assembly code.
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__)
inline constexpr bool kHasChains = true;
#else
inline constexpr bool kHasChains = false;
#endif

// Operations of a chain in one iteration. Each needs the result of the one before it.
inline constexpr std::uint64_t kChainLength = 256;
inline constexpr std::uint64_t kChainInstructions = kChainLength + 2;  // of one iteration

// A chain of exclusive ors of two registers. Each takes one cycle on every core that is known:
// cores that carry out moves and additions of constants while they rename registers do not do so
// with these. One taken branch ends an iteration. There must be one iteration or more.
void run_chain(std::uint32_t iterations);

// Addresses in the code of run_chain(): its first operation, the branch back to it, and the first
// instruction behind the branch.
struct ChainCode {
  std::uint64_t begin = 0;
  std::uint64_t branch = 0;
  std::uint64_t end = 0;
};
ChainCode chain_code();

// The same with multiplications, which take two cycles or more each on every core.
void run_multiplications(std::uint32_t iterations);

// Touches pages that are not there: each is one page fault.
void touch_pages(std::size_t pages);

}  // namespace tacho::prove
