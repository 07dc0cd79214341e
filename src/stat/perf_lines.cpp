#include "stat/perf_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/safe_text.hpp"
#include "report/absence.hpp"
#include "report/schema.hpp"
#include "stat/rate_of.hpp"
#include "stats/student.hpp"

namespace tacho {
namespace {

// A value with its unit, as perf derives one from each count.
struct PerfMetric {
  double value = 0;
  std::string unit;
  int decimals = 3;
};

struct Line {
  const StatReport::Part* part = nullptr;  // null: the whole
  const EventSummary* event = nullptr;     // null: a metric alone
  std::optional<PerfMetric> metric;
};

std::string_view base_name(const EventSummary& event) {
  return std::string_view(event.name).substr(0, event.name.find(':'));
}

std::optional<double> value_of(const Summary& summary,
                               std::initializer_list<std::string_view> names) {
  for (const EventSummary& event : summary.events)
    if (event.part_of.empty() && !is_absent(event) && event.estimate &&
        std::ranges::find(names, base_name(event)) != names.end())
      return event.estimate;
  return std::nullopt;
}

// Counts a second, as perf writes them.
PerfMetric rate(double per_second) {
  struct Prefix {
    double least;
    const char* unit;
  };
  constexpr std::array kPrefixes = {Prefix{1e9, "G/sec"}, Prefix{1e6, "M/sec"},
                                    Prefix{1e3, "K/sec"}};
  for (const Prefix& prefix : kPrefixes)
    if (per_second >= prefix.least) return {per_second / prefix.least, prefix.unit};
  return {per_second, "/sec"};
}

// Every event of perf's has the CPU time for its rate; some have another event.
std::optional<PerfMetric> metric_of(const EventSummary& event, const Summary& all,
                                    double elapsed_s) {
  if (is_absent(event) || !event.estimate) return std::nullopt;
  const double value = *event.estimate;
  const std::string_view name = base_name(event);
  const auto per = [&](std::optional<double> divisor, double factor, const char* unit,
                       int decimals) -> std::optional<PerfMetric> {
    if (!divisor || *divisor <= 0) return std::nullopt;
    return PerfMetric{factor * value / *divisor, unit, decimals};
  };
  if (is_cpu_clock(event)) return per(elapsed_s * 1e9, 1, "CPUs utilized", 3);
  const std::optional<double> cpu_ns = value_of(all, {"task-clock", "cpu-clock"});
  if (name == "cycles" || name == "cpu-cycles") return per(cpu_ns, 1, "GHz", 3);
  if (name == "instructions")
    return per(value_of(all, {"cycles", "cpu-cycles"}), 1, "insn per cycle", 2);
  if (name == "branch-misses")
    return per(value_of(all, {"branches", "branch-instructions"}), 100, "of all branches", 2);
  if (!event.unit.empty() || !cpu_ns || *cpu_ns <= 0) return std::nullopt;
  return rate(value / (*cpu_ns / 1e9));
}

void append_metrics(std::vector<Line>& lines, const StatReport::Part* part, const Summary& all) {
  for (const MetricSummary& metric : all.metrics)
    if (metric.value)
      lines.push_back(
          {part, nullptr,
           PerfMetric{*metric.value,
                      metric.unit.empty() ? metric.name : metric.name + ' ' + metric.unit}});
}

std::vector<Line> lines_of(const StatReport& report, bool metrics) {
  const double elapsed_s = counting_of(report);
  std::vector<Line> lines;
  const auto append = [&](const StatReport::Part* part, const Summary& all, std::size_t index) {
    const EventSummary& event = all.events[index];
    lines.push_back({part, &event, metric_of(event, all, elapsed_s)});
  };
  const auto append_all = [&](const StatReport::Part* part, const Summary& all) {
    for (std::size_t i = 0; i < all.events.size(); ++i) append(part, all, i);
    if (metrics) append_metrics(lines, part, all);
  };
  if (report.parts.empty()) append_all(nullptr, report.summary);
  // perf tells of each event on all CPUs, but of each other part as a whole.
  const bool by_event = report.kind_of_parts == PartKind::cpu;
  for (std::size_t i = 0; by_event && i < report.summary.events.size(); ++i)
    for (const StatReport::Part& part : report.parts)
      if (i < part.summary.events.size()) append(&part, part.summary, i);
  for (const StatReport::Part& part : report.parts)
    if (!by_event)
      append_all(&part, part.summary);
    else if (metrics)
      append_metrics(lines, &part, part.summary);
  return lines;
}

// Whether the name of a part stands behind the event.
bool follows_event(PartKind kind) {
  return kind == PartKind::cgroup;
}

// Whether the number of its CPUs follows the name of a part.
bool has_number(PartKind kind) {
  return kind == PartKind::core || kind == PartKind::die || kind == PartKind::socket ||
         kind == PartKind::node;
}

// perf's name of a part: the thread "4711 (worker)" is worker-4711, and "CPU 3" is 3.
std::string name_of(const StatReport::Part& part, PartKind kind) {
  const std::string& label = part.label;
  if (kind == PartKind::cpu) return label.substr(label.find_last_of(' ') + 1);
  const std::size_t name = label.find(" (");
  if (kind != PartKind::thread || name == label.npos || !label.ends_with(')')) return label;
  return printable(label.substr(name + 2, label.size() - name - 3)) + '-' + label.substr(0, name);
}

double count_of(const EventSummary& event) {
  return event.unit == "ns" ? *event.estimate / 1e6 : *event.estimate;
}

std::string unit_of(const EventSummary& event) {
  return event.unit == "ns" ? "msec" : event.unit;
}

std::string_view why_absent(const EventSummary& event) {
  return event.status == Status::unsupported ? "<not supported>" : "<not counted>";
}

bool has_count(const EventSummary& event) {
  return !is_absent(event) && event.estimate;
}

// perf has 100 % of no time.
double percentage_of_time(const EventSummary& event) {
  return has_count(event) ? 100 * event.share : 100;
}

double running_ns(const EventSummary& event) {
  return has_count(event) ? event.running_ns : 0;
}

// The standard error in per cent of the mean.
double spread_of(const EventSummary& event, std::size_t repeats) {
  if (!has_count(event) || !event.ci95 || *event.estimate <= 0) return 0;
  return 100 * *event.ci95 / student_t95(static_cast<double>(repeats - 1)) / *event.estimate;
}

std::string csv_line(const Line& line, const StatReport& report, std::string_view separator,
                     std::optional<double> time_s) {
  const PartKind kind = report.kind_of_parts;
  const bool of_cgroup = line.part != nullptr && follows_event(kind);
  std::vector<std::string> fields;
  if (time_s) fields.push_back(fmt::format("{:16.9f}", *time_s));
  if (line.part != nullptr && !of_cgroup)
    fields.push_back((kind == PartKind::cpu ? "CPU" : "") + name_of(*line.part, kind));
  if (line.part != nullptr && has_number(kind)) fields.push_back(std::to_string(line.part->cpus));
  if (const EventSummary* event = line.event) {
    fields.push_back(has_count(*event)
                         ? fmt::format("{:.{}f}", count_of(*event), event->unit.empty() ? 0 : 2)
                         : std::string(why_absent(*event)));
    fields.push_back(unit_of(*event));
    fields.push_back(event->name);
    if (of_cgroup) fields.push_back(line.part->label);
    if (report.repeats > 1)
      fields.push_back(fmt::format("{:.2f}%", spread_of(*event, report.repeats)));
    fields.push_back(fmt::format("{:.0f}", running_ns(*event)));
    fields.push_back(fmt::format("{:.2f}", percentage_of_time(*event)));
  } else {
    fields.resize(fields.size() + 5 + (of_cgroup ? 1 : 0) + (report.repeats > 1 ? 1 : 0));
  }
  fields.push_back(line.metric ? fmt::format("{:.{}f}", line.metric->value, line.metric->decimals)
                               : "");
  fields.push_back(line.metric ? line.metric->unit : "");
  return fmt::format("{}\n", fmt::join(fields, separator));
}

std::string json_string(std::string_view text) {
  std::string line = written(Json(std::string(text)));
  line.pop_back();  // its newline
  return line;
}

std::string json_line(const Line& line, const StatReport& report, std::optional<double> time_s) {
  const PartKind kind = report.kind_of_parts;
  std::vector<std::string> members;
  const auto add = [&](std::string_view key, const std::string& value) {
    members.push_back(fmt::format("\"{}\" : {}", key, value));
  };
  if (time_s) add("interval", fmt::format("{:.9f}", *time_s));
  if (line.part != nullptr && !follows_event(kind))
    add(to_string(kind), json_string(name_of(*line.part, kind)));
  if (line.part != nullptr && has_number(kind))
    add("aggregate-number", std::to_string(line.part->cpus));
  if (const EventSummary* event = line.event) {
    add("counter-value", json_string(has_count(*event) ? fmt::format("{:f}", count_of(*event))
                                                       : std::string(why_absent(*event))));
    add("unit", json_string(unit_of(*event)));
    add("event", json_string(event->name));
    if (line.part != nullptr && follows_event(kind)) add("cgroup", json_string(line.part->label));
    if (report.repeats > 1)
      add("variance", fmt::format("{:.2f}", spread_of(*event, report.repeats)));
    add("event-runtime", fmt::format("{:.0f}", running_ns(*event)));
    add("pcnt-running", fmt::format("{:.2f}", percentage_of_time(*event)));
  }
  add("metric-value", fmt::format("{:f}", line.metric ? line.metric->value : 0));
  add("metric-unit", json_string(line.metric ? line.metric->unit : ""));
  return fmt::format("{{{}}}\n", fmt::join(members, ", "));
}

}  // namespace

std::string perf_lines(const StatReport& report, const PerfLines& as, std::optional<double> time_s,
                       bool metrics) {
  std::string text;
  for (const Line& line : lines_of(report, metrics))
    text += as.separator.empty() ? json_line(line, report, time_s)
                                 : csv_line(line, report, as.separator, time_s);
  return text;
}

std::optional<std::string> warning_of_separator(const StatReport& report, const PerfLines& as) {
  if (as.separator.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const EventSummary& event : report.summary.events) names.push_back(event.name);
  for (const StatReport::Part& part : report.parts) names.push_back(part.label);
  const auto has = [&](const std::string& name) { return name.contains(as.separator); };
  const auto wrong = std::ranges::find_if(names, has);
  if (wrong == names.end()) return std::nullopt;
  return fmt::format(
      "the name '{}' has '{}' in it, so its lines have more fields (choose another separator, as "
      "-x ';')",
      printable(*wrong), as.separator);
}

}  // namespace tacho
