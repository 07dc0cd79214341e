// The regions in the report of `tacho stat --regions`. Each function is pure.
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

// A section for people: a table, the way of measuring, and remarks. Empty without --regions.
// `repeats` is the number of runs.
std::string region_text(const std::optional<Regions>&, const Workload&, std::size_t repeats,
                        const NumberStyle&);

// Warnings about missing regions and about lines that could not be read. The text has them in its
// section; other formats have them among the warnings.
std::vector<std::string> region_warnings(const std::optional<Regions>&, const Workload&);

// counted, estimated or unavailable.
std::string_view region_status(const RegionQuantity&);

// The keys "regions", "region_paths" and "region_processes"; null without --regions.
Json json_regions(const std::optional<Regions>&);
Json json_region_paths(const std::optional<Regions>&);
Json json_region_processes(const std::optional<Regions>&);

// All three and the warnings, as a document of their own: the report of a running process.
std::string regions_json(const std::optional<Regions>&, const Workload&, std::string_view version);

}  // namespace tacho
