// A histogram as lines of text: "9  1000 ####", a value, its count, a bar.
#pragma once

#include <cstddef>
#include <string>

#include "stats/histogram.hpp"

namespace tacho {

// About `lines` lines up to the 99th percentile, and a last line for the values beyond it: a few
// far values would squeeze the others together. A line shows the smallest value that falls into it,
// times `unit`, rounded.
std::string histogram_bars(const Histogram&, std::size_t lines, double unit = 1);

}  // namespace tacho
