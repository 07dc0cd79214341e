// `tacho latency --plot`: latency over size as a picture by gnuplot. A shade behind the curves
// shows all single loads; lines mark the levels that were found and the advertised capacities.
#pragma once

#include <string>
#include <string_view>

#include "latency/report/report.hpp"

namespace tacho {

// The data, and gnuplot's script that draws them from the file `data` into `picture`, whose name
// ends in .svg or .png.
std::string latency_plot_data(const LatencyReport&);
std::string latency_plot_script(const LatencyReport&, std::string_view data,
                                std::string_view picture);

}  // namespace tacho
