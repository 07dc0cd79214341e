#include "stat/report.hpp"

namespace tacho {

Repeats elapsed_of(const StatReport& report) {
  if (!report.elapsed.empty()) return over_repeats(report.elapsed);
  const double elapsed = report.measurement.workload.elapsed_s;
  return {.mean = elapsed, .minimum = elapsed, .half_width = std::nullopt};
}

}  // namespace tacho
