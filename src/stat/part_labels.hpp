// The names of parts, as text shows them in a column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stat/report.hpp"

namespace tacho {

// One for each part. Control groups are without the folders that all of them are in. A name with
// more than `longest` columns is shortened in its middle.
std::vector<std::string> part_labels(const StatReport& report, std::size_t longest);

}  // namespace tacho
