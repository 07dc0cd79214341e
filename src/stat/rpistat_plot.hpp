// Time plots of what stands in rpistat.data: how often each event happened, in every 1,000 cycles,
// in the course of the run. So a program's phases show.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "stat/rpistat.hpp"

namespace tacho {

// What gnuplot (5.4 or newer) draws as SVG into the file `picture`: a panel a set, with an axis a
// row. Errors when nothing was counted that could be drawn.
Result<std::string> gnuplot_script(const RowReport&, const Measurement&, std::string_view data,
                                   std::string_view picture);

// A line of bars a row, for a terminal. Reads the data twice, from its beginning. Errors as above.
Result<std::string> terminal_plot(const RowReport&, const Measurement&, std::istream& data,
                                  const NumberStyle&);

}  // namespace tacho
