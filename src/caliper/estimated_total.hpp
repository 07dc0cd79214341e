// A total or mean of an estimated event in a table of regions, with its interval. The library
// prints it for its own process, and `tacho stat --regions` for all processes.
#pragma once

#include <optional>
#include <string>

#include "base/number.hpp"

namespace tacho::caliper {

// "~6000 ± 12" with the half-width in the unit of the total, or both ends if the interval is wide:
// "~60 (37…96)". Without a half-width the interval is not known.
std::string estimated_total(double total, const std::optional<double>& half_width,
                            const NumberStyle&);

}  // namespace tacho::caliper
