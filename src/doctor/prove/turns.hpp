// Checks that the intervals of estimates hold the truth, when event sets take turns.
#pragma once

#include <optional>
#include <span>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

struct EstimatedRun {
  std::optional<double> estimate;
  std::optional<double> ci95;  // half-width
  double truth = 0;            // the same event, counted always
};
// 95 of 100 intervals hold the truth. So of five, three hold it in all but 1 of 800 checks.
Proof judge_turns(std::span<const EstimatedRun> runs);

Proof prove_turns(const Bench& bench);

}  // namespace tacho::prove
