// Plots of rpistat.data over time: how often each event happened in 1,000 cycles. They show a
// program's phases.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "stat/rpistat.hpp"

namespace tacho {

// The script with which gnuplot (5.4 or newer) draws SVG into the file `picture`: a panel for each
// set, with an axis for each row. An error when nothing was counted that could be drawn.
Result<std::string> gnuplot_script(const RowReport&, const Measurement&, std::string_view data,
                                   std::string_view picture);

// A line of bars for each row, for a terminal. Reads the data twice, from its beginning. Has the
// same error.
Result<std::string> terminal_plot(const RowReport&, const Measurement&, std::istream& data,
                                  const NumberStyle&);

}  // namespace tacho
