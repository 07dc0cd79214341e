// How often a run took so many cycles, as a picture of gnuplot's: frequency over latency.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text_layout.hpp"
#include "blocks/comparison_text.hpp"
#include "report/gnuplot.hpp"

namespace tacho {

std::string cycles_plot_script(std::string_view title, std::span<const PlottedCase> cases,
                               std::string_view picture) {
  const bool shares = cases.size() > 1;
  std::string script;
  std::uint64_t last = 1;
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Histogram& cycles = cases[i].cycles;
    last = std::max(last, cycles.quantile(0.99));
    script += fmt::format("$case{} << END\n", i);
    for (const auto& [value, count] : cycles.bins())
      script += shares ? fmt::format("{} {:.5f}\n", value,
                                     100.0 * static_cast<double>(count) /
                                         static_cast<double>(cycles.total()))
                       : fmt::format("{} {}\n", value, count);
    script += "END\n";
    plots.push_back(fmt::format("$case{0} using 1:2 with points lt {1} pt {2} ps 0.7 title {3}", i,
                                i + 1, i == 0 ? 7 : 5, in_quotes(printable(cases[i].title, 80))));
  }
  // Interrupts make executions of thousands of cycles: they are left out, beyond the 99th
  // percentile and some room.
  return script +
         fmt::format(
             "set terminal {} size 900,500 noenhanced background 'white' font 'sans,12'\n"
             "set output {}\nset title {}\nset xlabel 'latency (cycles)'\nset ylabel '{}'\n"
             "set xrange [0:{}]\nset yrange [0:*]\nset grid\nset key top left\nplot {}\n",
             picture.ends_with(".png") ? "pngcairo" : "svg", in_quotes(picture),
             in_quotes(printable(title, 100)),
             shares ? "frequency (% of executions)" : "frequency (executions)",
             last + last / 10 + 1, fmt::join(plots, ", \\\n     "));
}

}  // namespace tacho
