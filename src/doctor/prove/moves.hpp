// Checks the readings of a thread that moves from CPU to CPU: they never fall, and nothing is lost.
#pragma once

#include <cstdint>
#include <string_view>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

struct Moves {
  int count = 0;
  int falls = 0;  // readings below the one before
  std::uint64_t counted = 0;
  std::uint64_t known = 0;
};
// `how`: "registers" or "system calls", by which the thread read its counters.
Proof judge_moves(const Moves& moves, std::string_view how, double tolerance);

Proof prove_moves_by_registers(const Bench& bench);
Proof prove_moves_by_calls(const Bench& bench);
// Between CPUs of different PMUs: the counts of all PMUs add up.
Proof prove_moves_between_pmus(const Bench& bench);

}  // namespace tacho::prove
