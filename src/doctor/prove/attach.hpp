// Checks that child processes are counted, from a launch on and by attaching: also to a process
// that forks while tacho attaches.
#pragma once

#include <cstdint>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

// The count of a process and its children that did the work `parts` times in all.
Proof judge_family(const KnownWork& work, std::uint64_t counted, int parts, bool user_only);

Proof prove_fork(const Bench& bench);
Proof prove_attach(const Bench& bench);

}  // namespace tacho::prove
