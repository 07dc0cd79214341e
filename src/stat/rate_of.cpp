#include "stat/rate_of.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include "report/figure.hpp"

namespace tacho {

bool is_cpu_clock(const EventSummary& event) {
  const std::string_view name = std::string_view(event.name).substr(0, event.name.find(':'));
  return event.unit == "ns" && (name == "task-clock" || name == "cpu-clock");
}

std::string rate_of(const EventSummary& event, const StatReport& report, const NumberStyle& style) {
  const double counting = counting_of(report);
  if (counting <= 0 || *event.estimate <= 0) return {};
  const double per_second = *event.estimate / counting;
  if (is_cpu_clock(event)) {
    constexpr double kSecond = 1e9;  // in ns, the unit of the clock
    const auto half_width =
        event.rate_ci95 ? std::optional(*event.rate_ci95 / kSecond) : std::nullopt;
    // The clock of a CPU goes on while it idles.
    return used(per_second / kSecond, half_width,
                report.measurement.workload.every_cpu ? "CPUs counted" : "CPUs used", style);
  }
  if (!event.unit.empty() || !std::isfinite(per_second)) return {};
  return rate(per_second, event.rate_ci95, style);
}

}  // namespace tacho
