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
// Cycles of one operation in a chain of exclusive ors, which is 1, and in one of multiplications,
// which is more. If both take as long, the clock of an emulator is counted.
Proof judge_cycles(double per_operation, double per_multiplication);

Proof prove_instructions(const Bench& bench);
Proof prove_branches(const Bench& bench);
Proof prove_loads(const Bench& bench);
Proof prove_stores(const Bench& bench);
Proof prove_cycles(const Bench& bench);

}  // namespace tacho::prove
