// The table of --per-thread: a row a thread, a column an event or a metric.
#pragma once

#include <span>
#include <string>

#include "report/report.hpp"

namespace tacho {

// Columns without any figure are left out; too many columns for a line go into further blocks.
// Empty when there is nothing to show.
std::string part_table(std::span<const StatReport::Part>, bool repeated, const NumberStyle&);

}  // namespace tacho
