#include "stat/report.hpp"

namespace tacho {

std::string_view to_string(PartKind kind) {
  switch (kind) {
    case PartKind::none:
      break;
    case PartKind::thread:
      return "thread";
    case PartKind::cgroup:
      return "cgroup";
    case PartKind::cpu:
      return "cpu";
    case PartKind::core:
      return "core";
    case PartKind::die:
      return "die";
    case PartKind::socket:
      return "socket";
    case PartKind::node:
      return "node";
  }
  return {};
}

Repeats elapsed_of(const StatReport& report) {
  if (!report.elapsed.empty()) return over_repeats(report.elapsed);
  const double elapsed = report.measurement.workload.elapsed_s;
  return {.mean = elapsed, .minimum = elapsed, .half_width = std::nullopt};
}

double counting_of(const StatReport& report) {
  return report.counted.empty() ? elapsed_of(report).mean : over_repeats(report.counted).mean;
}

}  // namespace tacho
