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
  // The costs of measuring an execution, of the quantities of which an execution takes less: "60
  // ticks". Empty if only the regions inside cost too much. No value if that is not known.
  std::optional<std::string> costs;
  std::uint64_t recursions = 0;
  std::uint64_t unfinished = 0;
  std::string left_open_by;  // the code that began the first one that was left open; may be empty
  std::vector<std::string> not_counted;  // sentences about its events
};
// Each remark once, with the regions that it is about.
std::vector<std::string> remarks_on(const std::vector<RemarkedRegion>&, const NumberStyle&);

// Why an event has no figures. `remedy` may be empty.
std::string not_counted(std::string_view event, std::string_view reason, std::string_view remedy);

// A region's name for a table: the middle of a long name is left out.
std::string region_label(std::string_view name);

// What was not measured, in all regions.
struct Unmeasured {
  std::uint64_t unmatched = 0;  // ends without a begin
  // Ends without a begin, or whose begin came while regions were off.
  std::uint64_t perhaps_unmatched = 0;
  std::uint64_t too_deep = 0;   // executions
  std::uint64_t no_memory = 0;  // executions
};
std::vector<std::string> remarks_on(const Unmeasured&, const NumberStyle&);

// For how many seconds of a process regions were on.
std::string on_remark(double on_s, double of_s);

}  // namespace tacho::caliper
