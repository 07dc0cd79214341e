#include "latency/report/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "base/text_layout.hpp"
#include "report/gnuplot.hpp"

namespace tacho {
namespace {

constexpr double kLeastShare = 0.004;  // of a list's loads: fewer are invisible
constexpr int kShades = 24;            // bins of the shade to a factor of ten

// The curves. Each is a block of the data, if it has points.
struct Curve {
  const char* title;
  Layout layout;
  bool huge;
};
constexpr std::array kCurves = {Curve{"huge pages", Layout::packed, true},
                                Curve{"small pages", Layout::packed, false},
                                Curve{"one line a page", Layout::spread, false},
                                Curve{"the same few pages", Layout::repeated, false}};

// x is the memory of the list: its lines if they are packed, otherwise its pages.
double place(const SizeLatency& size) {
  return static_cast<double>(size.layout == Layout::packed ? size.bytes
                                                           : size.lines * size.page_bytes);
}

bool is_of(const Curve& curve, const SizeLatency& size) {
  return size.layout == curve.layout && is_huge(size.page_bytes) == curve.huge && size.cycles > 0 &&
         !size.disturbed;
}

// The distribution of a list's loads, in bins of equal ratios.
std::map<int, double> shade(const LatencySample& sample, double bias) {
  std::map<int, double> bins;
  for (const Histogram::Bin& bin : sample.singles.bins()) {
    const double cycles = (static_cast<double>(bin.value) - bias) * sample.cycles_per_tick;
    if (cycles >= 1)
      bins[static_cast<int>(std::lround(std::log10(cycles) * kShades))] +=
          static_cast<double>(bin.count) / static_cast<double>(sample.singles.total());
  }
  return bins;
}

bool has(const LatencyReport& report, const Curve& curve) {
  return std::ranges::any_of(report.inference.sizes,
                             [&](const SizeLatency& size) { return is_of(curve, size); });
}

bool has_shade(const LatencyReport& report) {
  return std::ranges::any_of(report.samples, [](const LatencySample& sample) {
    return sample.layout == Layout::packed && !sample.singles.empty();
  });
}

}  // namespace

// Blocks of lines with two empty lines between them. gnuplot does not count empty blocks.
std::string latency_plot_data(const LatencyReport& report) {
  std::string data;
  if (has_shade(report))
    data += fmt::format("# bytes, cycles, share of the size's single {}s\n", report.access);
  for (std::size_t i = 0; i < report.samples.size(); ++i) {
    const SizeLatency& size = report.inference.sizes.at(i);
    if (size.layout != Layout::packed) continue;
    for (const auto& [bin, share] : shade(report.samples[i], size.bias_ticks))
      if (share >= kLeastShare)
        data += fmt::format("{:.0f} {:.2f} {:.4f}\n", place(size),
                            std::pow(10, static_cast<double>(bin) / kShades), share);
  }
  for (const Curve& curve : kCurves) {
    if (!has(report, curve)) continue;
    data += fmt::format("{}# {}: bytes, cycles, ns\n", data.empty() ? "" : "\n\n", curve.title);
    std::vector<SizeLatency> sizes;
    std::ranges::copy_if(report.inference.sizes, std::back_inserter(sizes),
                         [&](const SizeLatency& size) { return is_of(curve, size); });
    std::ranges::sort(sizes, {}, place);
    for (const SizeLatency& size : sizes)
      data += fmt::format("{:.0f} {:.3f} {:.3f}\n", place(size), size.cycles, size.ns);
  }
  return data;
}

std::string latency_plot_script(const LatencyReport& report, std::string_view data,
                                std::string_view picture) {
  const bool png = picture.ends_with(".png");
  std::string script = fmt::format(
      "set terminal {} size 1000,600 noenhanced background 'white' font 'sans,12'\nset output {}\n"
      "set title {}\nset logscale x 2\nset logscale y\nset format x '%.0b %BB'\n"
      "set xlabel 'list'\nset ylabel 'cycles per {}'\nset key top left\nset grid ytics\n"
      "set palette defined (0 '#ffffff', 1 '#7f7f7f')\nset cbrange [0:0.5]\nunset colorbox\n",
      png ? "pngcairo" : "svg", file_in_quotes(picture),
      in_quotes(
          fmt::format("{}: the cost of each {}", printable(report.processor, 80), report.access)),
      report.access);
  for (const AdvertisedCache& cache : report.advertised.caches)
    script += fmt::format(
        "set arrow from {0}, graph 0 to {0}, graph 1 nohead dt 2 lc rgb '#b04040'\n"
        "set label 'L{1} advertised' at {0}, graph 0.02 rotate left textcolor rgb '#b04040'\n",
        cache.bytes, cache.level);
  for (const Tier& tier : report.inference.tiers) {
    if (tier.capacity)
      script += fmt::format(
          "set arrow from {0:.0f}, graph 0 to {0:.0f}, graph 1 nohead lc rgb '#4060b0'\n",
          tier.capacity_bytes);
    script += fmt::format("set label {} at graph 1.005, first {:.3f} textcolor rgb '#4060b0'\n",
                          in_quotes(fmt::format("{} {:.0f}", tier.name, tier.cycles)), tier.cycles);
  }
  std::vector<std::string> plots;
  const auto plot = [&](const std::string& how) {
    plots.push_back(fmt::format("{} index {} {}", file_in_quotes(data), plots.size(), how));
  };
  if (has_shade(report))
    plot(fmt::format("using 1:2:3 with points pt 5 ps 0.6 lc palette title 'single {}s'",
                     report.access));
  for (std::size_t i = 0; i < kCurves.size(); ++i)
    if (has(report, kCurves.at(i)))
      plot(fmt::format("using 1:2 with linespoints lt {} lw 1.5 pt 7 ps 0.4 title {}", i + 1,
                       in_quotes(kCurves.at(i).title)));
  return script + fmt::format("set rmargin 14\nplot {}\n", fmt::join(plots, ", \\\n     "));
}

}  // namespace tacho
