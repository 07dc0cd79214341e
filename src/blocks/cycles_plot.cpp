#include "blocks/cycles_plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text_layout.hpp"
#include "report/gnuplot.hpp"
#include "report/run_gnuplot.hpp"

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
  // Interrupts make executions of thousands of cycles. The axis ends 10 % beyond the 99th
  // percentile, so that they do not squeeze the curve.
  return script +
         fmt::format(
             "set terminal {} size 900,500 noenhanced background 'white' font 'sans,12'\n"
             "set output {}\nset title {}\nset xlabel 'latency (cycles)'\nset ylabel '{}'\n"
             "set xrange [0:{}]\nset yrange [0:*]\nset grid\nset key top left\nplot {}\n",
             picture.ends_with(".png") ? "pngcairo" : "svg", file_in_quotes(picture),
             in_quotes(printable(title, 100)),
             shares ? "frequency (% of executions)" : "frequency (executions)",
             last + last / 10 + 1, fmt::join(plots, ", \\\n     "));
}

Result<void> check_cycles_plot(const std::string& picture) {
  if (picture.empty()) return {};
  if (!picture.ends_with(".svg") && !picture.ends_with(".png"))
    return failure(fmt::format("cannot draw '{}': its ending is neither .svg nor .png", picture),
                   "give it one of them");
  return need_gnuplot(picture, "use --csv, which other programs draw");
}

Result<void> draw_cycles(std::string_view title, std::span<const PlottedCase> cases,
                         const std::string& picture) {
  return run_gnuplot(cycles_plot_script(title, cases, picture), picture,
                     "see gnuplot's own message");
}

}  // namespace tacho
