// The regions that the command's processes measured of themselves, in the report of `tacho stat
// --regions`. Each function is pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "report/schema.hpp"

namespace tacho {

// A section for people: a table, how it was measured, and what the figures alone don't tell. Empty
// without --regions.
std::string region_text(const StatReport&, const NumberStyle&);

// What is missing: no regions, or lines that could not be read. In the text it stands in the
// section, elsewhere among the warnings.
std::vector<std::string> region_warnings(const StatReport&);

// counted, estimated or unavailable.
std::string_view region_status(const RegionQuantity&);

// The keys "regions" and "region_processes"; null without --regions.
Json json_regions(const StatReport&);
Json json_region_processes(const StatReport&);

}  // namespace tacho
