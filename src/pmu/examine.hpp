// What this machine can count, and what stands in the way.
#pragma once

#include <string>
#include <vector>

#include "events/catalogue.hpp"
#include "pmu/finding.hpp"

namespace tacho {

struct Examination {
  std::string pmu_kind;  // "hardware" when some of its events can be believed, else "software"
  std::string pmu_name;
  int counters = 0;  // core counters beside cycles, found by opening; 0 without usable cycles
  std::vector<Finding> findings;
};

// Looks and tries; takes a few milliseconds and changes nothing.
Examination examine(const Catalogue& catalogue);

}  // namespace tacho
