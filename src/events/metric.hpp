// Metrics: named formulas over events (CPI = cycles / instructions).
#pragma once

#include <string>

#include "events/formula.hpp"

namespace tacho {

struct Metric {
  std::string name;  // "CPI"
  Formula formula;
  std::string unit;         // "cycles per instruction", "PTI", "%"
  std::string description;  // one line; may be empty
};

}  // namespace tacho
