// Finds out what this machine can count, and what prevents it from counting more.
#pragma once

#include <string>
#include <vector>

#include "base/pmu_kind.hpp"
#include "doctor/finding.hpp"
#include "events/catalogue.hpp"

namespace tacho {

struct Examination {
  // Hardware if some of its events can be believed; else software; none if the kernel's events
  // cannot be counted either.
  PmuKind pmu_kind = PmuKind::none;
  std::string pmu_name;
  int counters =
      0;  // core counters beside cycles, found by opening events; 0 without usable cycles
  std::vector<Finding> findings;
};

// Tries the PMUs and reads the settings. Takes a few milliseconds and changes nothing.
Examination examine(const Catalogue& catalogue);

}  // namespace tacho
