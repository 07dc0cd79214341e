// Sentences below a table of regions, for what the figures alone do not say. The library prints
// them for its own process, and `tacho stat --regions` prints them for all processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.hpp"

namespace tacho::caliper {

struct RemarkedRegion {
  std::string label;  // as in the table
  bool too_short = false;
  std::optional<double> cost_ticks;  // of measuring an execution, if the table does not have it
  std::uint64_t recursions = 0;
  std::uint64_t unfinished = 0;
  std::string left_open_by;  // the code that began the first one that was left open; may be empty
};
std::vector<std::string> remarks_on(const RemarkedRegion&, const NumberStyle&);

// Why an event has no figures. `remedy` may be empty.
std::string not_counted(std::string_view event, std::string_view reason, std::string_view remedy);

// What was not measured, in all regions.
struct Unmeasured {
  std::uint64_t unmatched = 0;  // ends without a begin
  std::uint64_t too_deep = 0;   // executions
  std::uint64_t no_memory = 0;  // executions
};
std::vector<std::string> remarks_on(const Unmeasured&, const NumberStyle&);

}  // namespace tacho::caliper
