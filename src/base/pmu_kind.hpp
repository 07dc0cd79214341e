// The kinds of PMU, and the word that JSON, CSV and reports use for each
// (docs/reference/formats.md).
#pragma once

#include <string_view>

namespace tacho {

enum class PmuKind {
  none,           // nothing can be counted
  hardware,       // the processor's counters, through perf_event
  software,       // the kernel's own events alone
  simulated,      // a model of a processor
  arm_registers,  // the counters of an ARM core, without perf_event
};

constexpr std::string_view to_string(PmuKind kind) {
  switch (kind) {
    case PmuKind::hardware:
      return "hardware";
    case PmuKind::software:
      return "software";
    case PmuKind::simulated:
      return "simulated";
    case PmuKind::arm_registers:
      return "arm-registers";
    case PmuKind::none:
      break;
  }
  return "none";
}

// The kind that this word means; none if there is no such kind.
constexpr PmuKind pmu_kind_named(std::string_view word) {
  for (const PmuKind kind :
       {PmuKind::hardware, PmuKind::software, PmuKind::simulated, PmuKind::arm_registers})
    if (word == to_string(kind)) return kind;
  return PmuKind::none;
}

// Whether perf_event counts.
constexpr bool is_of_kernel(PmuKind kind) {
  return kind == PmuKind::hardware || kind == PmuKind::software;
}

}  // namespace tacho
