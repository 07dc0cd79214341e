#include "compare/run_metrics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "estimate/summarise.hpp"

namespace tacho {
namespace {

struct ProcessMetric {
  std::string_view name;
  const char* unit;
  double (*value)(const Workload&);
};

constexpr std::array<ProcessMetric, 5> kOfProcess{{
    {kCpuTime, "s", [](const Workload& w) { return w.user_s + w.system_s; }},
    {kWallTime, "s", [](const Workload& w) { return w.elapsed_s; }},
    {kUserTime, "s", [](const Workload& w) { return w.user_s; }},
    {kSystemTime, "s", [](const Workload& w) { return w.system_s; }},
    {kMemory, "bytes", [](const Workload& w) { return static_cast<double>(w.max_rss_bytes); }},
}};

constexpr std::string_view kTaskClock = "task-clock";
constexpr std::array<std::string_view, 2> kPrimary = {kCpuTime, "cycles"};

bool asks_by_name(const CompareRequest& request, std::string_view event) {
  return std::ranges::any_of(request.events,
                             [event](const std::string& list) { return list.contains(event); });
}

}  // namespace

std::vector<ComparedMetric> metrics_of(const CompareRequest& request, const Plan& plan,
                                       bool simulated) {
  std::vector<ComparedMetric> metrics;
  if (!simulated)
    for (const ProcessMetric& each : kOfProcess)
      metrics.push_back({std::string(each.name), each.unit, {}});
  for (std::size_t i = 0; i < plan.asked; ++i) {
    const Event& event = plan.events[i];
    if (event.name == kTaskClock && !asks_by_name(request, kTaskClock)) continue;
    metrics.push_back({event.name, event.unit, plan.refused[i] ? plan.refused[i]->what : ""});
  }
  return metrics;
}

std::size_t primary_of(const std::vector<ComparedMetric>& metrics) {
  const auto counts = [](const ComparedMetric& metric) { return metric.reason.empty(); };
  for (const std::string_view name : kPrimary) {
    const auto found = std::ranges::find(metrics, name, &ComparedMetric::name);
    if (found != metrics.end() && counts(*found))
      return static_cast<std::size_t>(found - metrics.begin());
  }
  const auto first = std::ranges::find_if(metrics, counts);
  return first == metrics.end() ? 0 : static_cast<std::size_t>(first - metrics.begin());
}

std::vector<std::optional<double>> values_of(const std::vector<ComparedMetric>& metrics,
                                             const Measurement& run, std::uint64_t own_peak) {
  const Summary summary = summarise(run, {});
  std::vector<std::optional<double>> values;
  for (const ComparedMetric& metric : metrics) {
    std::optional<double> value;
    const auto of_process = std::ranges::find(kOfProcess, metric.name, &ProcessMetric::name);
    const auto event = std::ranges::find(summary.events, metric.name, &EventSummary::name);
    if (of_process != kOfProcess.end()) {
      const bool known = metric.name == kWallTime || run.workload.has_usage;
      const bool own = metric.name == kMemory && run.workload.max_rss_bytes <= own_peak;
      if (known && !own) value = of_process->value(run.workload);
    } else if (event != summary.events.end()) {
      value = event->estimate;
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace tacho
