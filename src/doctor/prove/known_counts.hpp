// Checks that counts of known loops are right: instructions, branches, loads, stores, and cycles.
#pragma once

#include <cstdint>
#include <string_view>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

// An event counted the same loop. `user_only`: kernel mode was left out.
Proof judge_known_count(std::string_view unit, std::uint64_t counted, std::uint64_t known,
                        bool user_only);
// Some processors' event of loads, or of stores, counts both.
Proof judge_accesses(std::string_view unit, std::uint64_t counted, std::uint64_t loads_or_stores);

struct ChainCycles {
  double per_operation = 0;
  double per_ns = 0;  // of the time in which they were counted
};
// An exclusive or takes 1 cycle, a multiplication more. Emulators count instructions or nanoseconds
// as cycles: then both take as long, or both chains have one cycle in each nanosecond.
Proof judge_cycles(const ChainCycles& exclusive_ors, const ChainCycles& multiplications);

Proof prove_instructions(const Bench& bench);
Proof prove_branches(const Bench& bench);
Proof prove_loads(const Bench& bench);
Proof prove_stores(const Bench& bench);
Proof prove_cycles(const Bench& bench);

}  // namespace tacho::prove
