// What this machine can count, and what stands in the way.
#pragma once

#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "events/catalogue.hpp"

namespace tacho {

struct Examination {
  // "hardware" when some of its events can be believed, else "software", or "none" when the
  // kernel's can't be counted either.
  std::string pmu_kind;
  std::string pmu_name;
  int counters = 0;  // core counters beside cycles, found by opening; 0 without usable cycles
  std::vector<Finding> findings;
};

// Looks and tries; takes a few milliseconds and changes nothing.
Examination examine(const Catalogue& catalogue);

}  // namespace tacho
