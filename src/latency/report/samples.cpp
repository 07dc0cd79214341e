#include "latency/report/samples.hpp"

#include <fmt/format.h>

#include "report/schema.hpp"

namespace tacho {

std::string latency_samples(const LatencyReport& report) {
  std::string csv = "bytes,lines,page_bytes,layout,kind,cycles,count\n";
  for (std::size_t i = 0; i < report.samples.size(); ++i) {
    const LatencySample& sample = report.samples[i];
    const double bias = report.inference.sizes.at(i).bias_ticks;
    const auto rows = [&](const Histogram& histogram, std::string_view kind, double loads,
                          double without) {
      for (const Histogram::Bin& bin : histogram.bins())
        csv += fmt::format(
            "{},{},{},{},{},{:.3f},{}\n", sample.bytes, sample.lines, sample.page_bytes,
            to_string(sample.layout), kind,
            (static_cast<double>(bin.value) - without) * sample.cycles_per_tick / loads, bin.count);
    };
    rows(sample.singles, "single", 1, bias);
    if (sample.block_loads != 0) rows(sample.blocks, "block", sample.block_loads, bias);
    rows(sample.bias, "bias", 1, 0);
  }
  return csv;
}

}  // namespace tacho
