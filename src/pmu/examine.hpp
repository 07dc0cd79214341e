// What this machine can count, and what stands in the way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/catalogue.hpp"

namespace tacho {

enum class Verdict { ok, warning, problem };
std::string_view to_string(Verdict);  // the schema's word

struct Finding {
  std::string name;  // "hardware PMU", "perf_event_paranoid", …
  Verdict verdict = Verdict::ok;
  std::string detail;  // what was found
  std::string remedy;  // empty when there is nothing to mend
};

struct Examination {
  std::string pmu_kind;  // "hardware" when its counters can be believed, else "software"
  std::string pmu_name;
  int counters = 0;  // core counters beside cycles, found by opening; 0 without hardware
  std::vector<Finding> findings;
};

// Looks and tries; takes a few milliseconds and changes nothing.
Examination examine(const Catalogue& catalogue);

}  // namespace tacho
