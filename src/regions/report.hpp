// The regions that the command's processes measured of themselves, in the report of `tacho stat
// --regions`. Each function is pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.hpp"
#include "regions/regions.hpp"
#include "report/schema.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// A section for people: a table, how it was measured, and what the figures alone don't tell. Empty
// without --regions. `repeats`: runs of the workload's command.
std::string region_text(const std::optional<Regions>&, const Workload&, std::size_t repeats,
                        const NumberStyle&);

// What is missing: no regions, or lines that could not be read. In the text it stands in the
// section, elsewhere among the warnings.
std::vector<std::string> region_warnings(const std::optional<Regions>&, const Workload&);

// counted, estimated or unavailable.
std::string_view region_status(const RegionQuantity&);

// The keys "regions" and "region_processes"; null without --regions.
Json json_regions(const std::optional<Regions>&);
Json json_region_processes(const std::optional<Regions>&);

}  // namespace tacho
