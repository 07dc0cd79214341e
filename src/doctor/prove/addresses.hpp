// Checks the addresses of samples: of precise sampling, that they are those of the only branch of a
// loop; of ordinary sampling, that they lie in the loop, and how far behind the branch they are.
#pragma once

#include <cstdint>
#include <span>

#include "doctor/prove/bench.hpp"
#include "doctor/prove/loops.hpp"

namespace tacho::prove {

// `precise`: the samples should be of the branch itself. Otherwise they may be anywhere in the
// loop. `of_branches`: branches were sampled, so the distance from the branch is the skid.
Proof judge_addresses(std::span<const std::uint64_t> addresses, const ChainCode& code, bool precise,
                      bool of_branches);

Proof prove_addresses(const Bench& bench);
Proof prove_precise_addresses(const Bench& bench);

}  // namespace tacho::prove
