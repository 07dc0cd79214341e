#include "measure/run_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pmu/perf/perf_open.hpp"

namespace tacho {

void warn_of_long_periods(Measurement& m) {
  if (m.reached_period_ms > 1.5 * m.period_ms)
    m.warnings.push_back(
        fmt::format("periods were {:.2g} ms instead of {:g} ms: turning the sets cost {:.0f} µs, "
                    "and the CPUs were busy",
                    m.reached_period_ms, m.period_ms, m.turn_cost_us));
}

void warn_of_stops(Measurement& m, double stopped_s) {
  constexpr double kNotice = 0.01;  // part of the elapsed time that is worth a warning
  if (stopped_s > kNotice * m.workload.elapsed_s)
    m.warnings.push_back(fmt::format(
        "the command was stopped, for example by Ctrl-Z, for {:.3g} s of the {:.3g} s elapsed: "
        "rates a second and CPUs used include this time",
        stopped_s, m.workload.elapsed_s));
}

void warn_of_patience(Measurement& m, double ran_on_s) {
  constexpr double kNotice = 1;
  if (ran_on_s > kNotice)
    m.warnings.push_back(fmt::format(
        "the command ran on for {:.3g} s after the SIGTERM that tacho sent as asked", ran_on_s));
}

void warn_of_switch(Measurement& m, const MeasureRequest& request) {
  if (request.control != nullptr)
    std::ranges::copy(request.control->warnings(m.workload.counting_s()),
                      std::back_inserter(m.warnings));
  if (m.workload.counted_s == 0.0)
    m.warnings.push_back("nothing was counted: " + why_never_on(request.control));
}

void warn_of_restriction(Measurement& m, std::string_view restriction) {
  const bool touched = std::ranges::any_of(m.events, [](const CountedEvent& event) {
    return (event.duty == Duty::always || event.duty == Duty::turned) && event.narrowed;
  });
  if (touched)
    m.warnings.push_back(
        fmt::format("kernel mode is not counted ({}): {}", restriction, paranoid_remedy(1)));
}

}  // namespace tacho
