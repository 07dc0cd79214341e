// Scores the intervals of `tacho latency` on machines drawn at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "interval_score.hpp"
#include "latency_random_machines.hpp"

namespace tacho::synthetic {

// By figure: "L1 cycles", "other cycles", "memory cycles", "L1 capacity", "other capacity", "TLB
// entries", "TLB miss".
using LatencyScores = std::map<std::string, IntervalScore>;

using ChangeMachine = std::function<void(Machine&, std::mt19937_64&)>;

// Machines on which the number of levels is wrong are left out: their levels have no truth.
inline LatencyScores score_machines(const ChangeMachine& change, int machines, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LatencyScores scores;
  for (int i = 0; i < machines; ++i) {
    Machine machine = draw(random);
    change(machine, random);
    const LatencyInference found = measure(machine, random());
    if (found.tiers.size() != machine.caches.size() + 1) continue;
    for (std::size_t k = 0; k < found.tiers.size(); ++k) {
      const Tier& tier = found.tiers[k];
      const bool memory = k == machine.caches.size();
      double cycles = memory ? machine.memory_cycles : machine.caches[k].cycles;
      // A part with a clock of its own takes more cycles of a faster core.
      if (cycles > kOwnClock) cycles *= found.core_hz / kTickHz / kUsualCyclesPerTick;
      const std::string name = memory ? "memory" : k == 0 ? "L1" : "other";
      scores[name + " cycles"].add(
          {tier.cycles, tier.cycles - tier.ci95_cycles, tier.cycles + tier.ci95_cycles}, cycles);
      if (tier.capacity)
        scores[name + " capacity"].add(
            {tier.capacity_bytes, tier.capacity->low, tier.capacity->high},
            machine.caches[k].bytes);
    }
    if (found.tlb.size() != machine.tlb.size()) continue;
    double miss = 0;
    for (std::size_t k = 0; k < found.tlb.size(); ++k) {
      const TlbTier& tier = found.tlb[k];
      miss += machine.tlb[k].cycles;
      scores["TLB entries"].add(
          {tier.entries, tier.entries_interval.low, tier.entries_interval.high},
          machine.tlb[k].entries);
      scores["TLB miss"].add({tier.miss_extra_cycles, tier.miss_extra_cycles - tier.ci95_cycles,
                              tier.miss_extra_cycles + tier.ci95_cycles},
                             miss);
    }
  }
  return scores;
}

}  // namespace tacho::synthetic
