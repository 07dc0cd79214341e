// The table of --per-thread and --per-cpu: a row a thread or CPU, a column an event or a metric.
#pragma once

#include <string>

#include "stat/report.hpp"

namespace tacho {

// Columns without any figure are left out; too many columns for a line go into further blocks.
// Empty when there is nothing to show.
std::string part_table(const StatReport&, const NumberStyle&);

}  // namespace tacho
