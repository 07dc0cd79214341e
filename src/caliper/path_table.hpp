// The tree of regions as a table for people: of one process, and of several put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/number.hpp"

namespace tacho::caliper {

// A region as it was executed inside its parents.
struct RegionPath {
  std::string name;
  std::optional<std::size_t> parent;  // its index; it comes before
  std::uint64_t executions = 0;
  double ticks = 0;
  double own_ticks = 0;  // without the regions inside
};

// A table in which each region stands below the one around it, the longest first. Empty if no
// region was inside another one. Names are printable.
std::string path_table(std::span<const RegionPath> paths, double clock_hz, std::string_view indent,
                       const NumberStyle& style);

// The remark on executions that have no path.
std::string no_path_left(std::uint64_t executions, const NumberStyle& style);

}  // namespace tacho::caliper
