// Draws how often a run took each number of cycles, with gnuplot.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "stats/histogram.hpp"

namespace tacho {

// One curve. The histogram must outlive it.
struct PlottedCase {
  std::string title;
  const Histogram& cycles;
};

// gnuplot's script, with the data in it. The curve of one case shows numbers of executions; the
// curves of several cases show their shares.
std::string cycles_plot_script(std::string_view title, std::span<const PlottedCase> cases,
                               std::string_view picture);

// Before a recording is read: an error if the picture cannot be drawn. No error if `picture` is
// empty.
Result<void> check_cycles_plot(const std::string& picture);

// Draws the picture, whose file name ends in .svg or .png.
Result<void> draw_cycles(std::string_view title, std::span<const PlottedCase> cases,
                         const std::string& picture);

}  // namespace tacho
