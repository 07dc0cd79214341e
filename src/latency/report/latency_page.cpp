#include "latency/report/latency_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "latency/report/json.hpp"

namespace tacho {
namespace {

// The single loads of each list, in the order of the document: cycles without the bias, and how
// often they were seen.
std::string singles_member(const LatencyReport& report) {
  std::vector<std::string> lists;
  for (std::size_t i = 0; i < report.samples.size(); ++i) {
    const LatencySample& sample = report.samples[i];
    const double bias = report.inference.sizes.at(i).bias_ticks;
    std::vector<std::string> bins;
    for (const Histogram::Bin& bin : sample.singles.bins())
      bins.push_back(fmt::format("[{:.2f},{}]",
                                 (static_cast<double>(bin.value) - bias) * sample.cycles_per_tick,
                                 bin.count));
    lists.push_back(fmt::format("[{}]", fmt::join(bins, ",")));
  }
  return fmt::format(",\"singles\":[{}]", fmt::join(lists, ","));
}

}  // namespace

Page latency_page(const LatencyReport& report) {
  return {
      .kind = "latency",
      .title = "Memory latency of " + report.processor,
      .how = report.simulated
                 ? kSimulatedPage
                 : "Measured: each load waits for the one before it, in lists of growing size.",
      .facts = report.simulated ? PageFacts{{"model", report.processor}} : facts_of_this_machine(),
      .warnings = report.warnings,
      .document = latency_json(report),
      .more = singles_member(report)};
}

Page matrix_page(const LatencyMatrix& matrix, std::string_view version) {
  return {.kind = "cores",
          .title = "Time between CPUs",
          .how = "Measured: a CPU hands a cache line to another one and gets it back.",
          .facts = facts_of_this_machine(),
          .warnings = {},
          .document = matrix_json(matrix, version),
          .more = {}};
}

}  // namespace tacho
