// A histogram as lines of text: "9  1000 ####", a value, how often, a bar.
#pragma once

#include <cstddef>
#include <string>

#include "stats/histogram.hpp"

namespace tacho {

// In about so many lines, up to the 99th percentile, and what lies beyond in a last one: a few
// values far away would squeeze all others together. Values are shown times `unit`, rounded. A
// line's value is the least that falls into it.
std::string histogram_bars(const Histogram&, std::size_t lines, double unit = 1);

}  // namespace tacho
