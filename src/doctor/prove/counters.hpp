// Checks how many counters count at the same time, with the NMI watchdog as it is and without it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

// The counts of copies of one event in one group, the largest group that got counters. They count
// the same work, so they are alike.
Proof judge_copies(std::string_view event, std::span<const std::uint64_t> counts,
                   std::string_view watchdog);
// The watchdog holds a counter, or none: without it there are as many or more.
Proof judge_watchdog(std::size_t with, std::size_t without);

Proof prove_counters(const Bench& bench);
Proof prove_watchdog(const Bench& bench);

}  // namespace tacho::prove
