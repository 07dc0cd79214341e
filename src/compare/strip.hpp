// Draws values in time as one line of bars.
#pragma once

#include <string>
#include <vector>

namespace tacho {

// One line for each series, with a bar of eight heights for each value; all series have one scale,
// from the smallest value to the 95th percentile of all. Longer series are drawn with medians of
// neighbours, so that a line has at most 40 bars. No series is empty.
std::vector<std::string> strips_of(const std::vector<std::vector<double>>& series);

}  // namespace tacho
