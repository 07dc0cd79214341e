// What the counters of the processor's cores are worth.
#pragma once

#include <vector>

#include "doctor/finding.hpp"
#include "events/catalogue.hpp"
#include "pmu/trust/plausibility.hpp"

namespace tacho {

struct CoreExamination {
  bool usable = false;  // some generic event opens and is believed, so that --pmu auto counts it
  int counters = 0;     // beside cycles, found by opening; 0 where cycles are not usable
  std::vector<Finding> findings;
};

// Tries every generic event in the way of --pmu auto. Without a PMU that takes microseconds.
CoreExamination examine_core(const Catalogue& catalogue);

// What instructions and cycles, the PMU's first witnesses, counted over the known loop.
Finding hardware_counters(const Judgement& instructions, const Judgement& cycles);

}  // namespace tacho
