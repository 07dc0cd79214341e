// The report of `tacho blocks` as CSV: how often each run took each number of cycles.
#include <fmt/format.h>

#include <algorithm>

#include "blocks/report.hpp"
#include "report/schema.hpp"

namespace tacho {

std::string blocks_csv(const BlocksReport& report, std::size_t limit) {
  const std::vector<std::size_t>& runs = report.chosen.runs;
  const std::size_t count = limit == 0 ? runs.size() : std::min(limit, runs.size());
  const bool one = count == 1;
  std::string csv = one ? "cycles,count\n" : "start,end,function,module,cycles,count\n";
  for (std::size_t i = 0; i < count; ++i) {
    const CodeRun& run = report.blocks.runs[runs[i]];
    const std::string before =
        one ? std::string()
            : fmt::format("0x{:x},0x{:x},{},{},", run.start, run.end, csv_field(run.function),
                          csv_field(report.blocks.modules[run.module].name));
    for (const auto& [cycles, times] : run.cycles.bins())
      csv += fmt::format("{}{},{}\n", before, cycles, times);
  }
  return csv;
}

}  // namespace tacho
