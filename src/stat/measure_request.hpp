// From what `tacho stat` is to do to the request for one measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "measure/request.hpp"
#include "process/cgroups.hpp"
#include "regions/region_file.hpp"
#include "stat/request.hpp"

namespace tacho {

// `control` may be null. What the arguments refer to must outlive the measurement.
MeasureRequest measure_request(const StatRequest& request, const std::optional<RegionFile>& regions,
                               CountingControl* control, const std::vector<OpenedCgroup>& cgroups);

// The control groups that the request names; none if it names none.
Result<std::vector<OpenedCgroup>> open_groups(const StatRequest& request);

// A seed for the order of sets, another one in each call.
std::uint64_t drawn_seed();

}  // namespace tacho
