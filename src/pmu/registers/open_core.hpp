// Finds the CPU to count on, and opens everything that counting there needs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/core_events.hpp"
#include "pmu/registers/bank.hpp"
#include "pmu/registers/module_status.hpp"
#include "pmu/registers/observer.hpp"
#include "pmu/registers/registers.hpp"

namespace tacho::arm {

// The parts that the PMU counts with. Tests make them up.
struct Core {
  CoreEvents events;
  Architecture architecture = Architecture::armv7;
  int cpu = 0;
  int counters = 0;  // event counters, without the cycle counter
  std::unique_ptr<Registers> registers;
  std::unique_ptr<Observer> observer;
  Bank::Clock clock;
};

// Opens the module's status, chooses the CPU and binds the calling thread to it. The CPU is the
// last one of those that this process may run on and that can be counted. `known` are the cores
// with a list of events.
Result<Core> open_core(const std::vector<CoreEvents>& known,
                       const std::string& status = kStatusPath);

}  // namespace tacho::arm
