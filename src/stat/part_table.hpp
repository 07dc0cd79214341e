// The table of --per-thread and --per-cpu: a row for each thread or CPU, a column for each event or
// metric.
#pragma once

#include <string>

#include "stat/report.hpp"

namespace tacho {

// Columns without any figure are left out. Columns that do not fit in a line go into further
// blocks. The text is empty when there is nothing to show.
std::string part_table(const StatReport&, const NumberStyle&, std::size_t columns = 100);

}  // namespace tacho
