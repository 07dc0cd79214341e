// Fuzzes the regions that an instrumented program writes: it may write anything. Whatever the
// bytes, tacho makes a report of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "regions/region_lines.hpp"
#include "stat/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tacho::StatReport report;
  report.measurement.workload.command = {"fuzz"};
  report.regions = tacho::read_regions({reinterpret_cast<const char*>(data), size});
  const std::string text = to_text(report, tacho::NumberStyle());
  if (text.find('\x1b') != text.npos || to_json(report).empty() || to_csv(report).empty())
    std::abort();
  return 0;
}
