#include "stat/report.hpp"

namespace tacho {

Repeats elapsed_of(const StatReport& report) {
  if (!report.elapsed.empty()) return over_repeats(report.elapsed);
  const double elapsed = report.measurement.workload.elapsed_s;
  return {.mean = elapsed, .minimum = elapsed, .half_width = std::nullopt};
}

double counting_of(const StatReport& report) {
  return report.counted.empty() ? elapsed_of(report).mean : over_repeats(report.counted).mean;
}

}  // namespace tacho
