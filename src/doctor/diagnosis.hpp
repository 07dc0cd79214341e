// What `tacho doctor` prints: what the machine can count, and the remedy for what it can't.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/pmu_kind.hpp"

namespace tacho {

struct Diagnosis {
  struct Line {
    std::string name;
    std::string status;  // "ok", "warning" or "problem"
    std::string detail;
    std::string remedy;  // may be empty
  };
  PmuKind pmu_kind = PmuKind::none;
  std::string pmu_name;
  int counters = 0;
  std::vector<Line> lines;
};

std::string diagnosis_text(const Diagnosis&);

// {"pmu": …, "findings": […]} of schema 1.
std::string diagnosis_json(const Diagnosis&, std::string_view version);

}  // namespace tacho
