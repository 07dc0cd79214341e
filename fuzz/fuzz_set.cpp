// Fuzzes formulas and data files. The first byte chooses the kind: a formula (parsed and
// evaluated), a set file, metrics, or a report file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "events/event_set.hpp"
#include "events/metrics_file.hpp"
#include "events/report_layout.hpp"

namespace {

void evaluate(const tacho::Formula& formula) {
  const std::vector<double> values(formula.names().size(), 2.0);
  static_cast<void>(formula.evaluate(values));
}

template <class T>
bool good(const tacho::Result<T>& result) {
  if (!result && result.error().what.empty()) std::abort();
  return result.has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const std::vector<tacho::Metric> known = {
      {"CPI", tacho::Formula::parse("cycles / instructions").value(), "", ""}};
  if (data[0] == 'f') {
    if (const auto formula = tacho::Formula::parse(text); good(formula)) evaluate(*formula);
  } else if (data[0] == 's') {
    if (const auto set = tacho::parse_set(text, "fuzz.toml"); good(set))
      if (const auto metrics = tacho::metrics_of(*set, known); good(metrics))
        for (const tacho::Metric& metric : *metrics) evaluate(metric.formula);
  } else if (data[0] == 'm') {
    if (const auto metrics = tacho::parse_metrics(text, "fuzz.toml"); good(metrics))
      for (const tacho::Metric& metric : *metrics) evaluate(metric.formula);
  } else if (data[0] == 'r') {
    if (const auto report = tacho::parse_report(text, "fuzz.toml"); good(report))
      for (const tacho::ReportSet& each : report->sets)
        for (const tacho::Metric& ratio : each.ratios) evaluate(ratio.formula);
  }
  return 0;
}
