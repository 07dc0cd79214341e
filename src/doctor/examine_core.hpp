// Examines the hardware counters of the processor's cores.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.hpp"
#include "events/catalogue.hpp"
#include "pmu/pmu.hpp"
#include "pmu/trust/judge.hpp"

namespace tacho {

struct CoreExamination {
  bool usable = false;  // some generic event opens and is believed, so that --pmu auto counts it
  int counters = 0;     // beside cycles, found by opening events; 0 without usable cycles
  std::vector<Finding> findings;
};

// How many copies of an event run at the same time.
struct CounterTrial {
  int alone = 0;
  int beside_cycles = 0;
  std::string event;
};

// Tries how many counters the core PMU has; an empty name is the only one. They need not be
// believed: an event uses a counter anyway.
CounterTrial try_counters(Pmu& pmu, std::string_view core_pmu);

// The trial in words. A fixed counter, which counts one event alone, is no counter for others.
std::string counters_found(const CounterTrial& trial);

// Tries every generic event as --pmu auto does. Without a PMU this takes microseconds.
CoreExamination examine_core(const Catalogue& catalogue);

// Judges the counts of instructions and cycles over the known loop.
Finding hardware_counters(const Judgement& instructions, const Judgement& cycles);

}  // namespace tacho
