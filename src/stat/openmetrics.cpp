#include "stat/openmetrics.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/safe_text.hpp"
#include "report/absence.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

// A metric family. Its unit is the end of its name, as OpenMetrics demands.
struct Family {
  std::string_view name;
  std::string_view type;
  std::string_view unit;
  std::string_view help;
};

constexpr Family kInfo{"tacho_info", "gauge", "", "Always 1. Labels say what counts, and for what"};
constexpr Family kElapsed{"tacho_elapsed_seconds", "gauge", "seconds",
                          "Time since the start of the run"};
constexpr Family kSimulatedSeconds{"tacho_simulated_seconds", "gauge", "seconds",
                                   "Simulated time of the run"};
constexpr Family kUser{"tacho_user_seconds", "gauge", "seconds", "User time of the command"};
constexpr Family kSystem{"tacho_system_seconds", "gauge", "seconds", "System time of the command"};
constexpr Family kMemory{"tacho_max_resident_bytes", "gauge", "bytes",
                         "Largest resident memory of a process of the command"};
constexpr Family kWarnings{"tacho_warnings", "gauge", "",
                           "Number of warnings about the last interval, or the whole run"};
constexpr Family kCounted{"tacho_counted_seconds", "counter", "seconds",
                          "Time for which the event was counted"};
constexpr Family kMetric{"tacho_metric", "gauge", "",
                         "A ratio or rate, of the last interval or the whole run"};
constexpr Family kMetricLow{"tacho_metric_low", "gauge", "",
                            "Lower end of the metric's 95 % interval"};
constexpr Family kMetricHigh{"tacho_metric_high", "gauge", "",
                             "Upper end of the metric's 95 % interval"};

// The families of the events that have this unit, and the size of the unit in the family's.
struct EventFamilies {
  std::string_view unit;
  double multiply;
  double divide;
  Family total;
  Family low;
  Family high;
};

constexpr std::string_view kLow = "Lower end of the total's 95 % interval";
constexpr std::string_view kHigh = "Upper end of the total's 95 % interval";
constexpr EventFamilies kEventFamilies[] = {
    {"",
     1,
     1,
     {"tacho_events", "counter", "", "How often the event happened, since tacho's start"},
     {"tacho_events_low", "gauge", "", kLow},
     {"tacho_events_high", "gauge", "", kHigh}},
    {"ns",
     1,
     1e9,
     {"tacho_cpu_seconds", "counter", "seconds", "Time of a clock, since tacho's start"},
     {"tacho_cpu_low_seconds", "gauge", "seconds", kLow},
     {"tacho_cpu_high_seconds", "gauge", "seconds", kHigh}},
    {"Joules",
     1,
     1,
     {"tacho_energy_joules", "counter", "joules", "Energy, since tacho's start"},
     {"tacho_energy_low_joules", "gauge", "joules", kLow},
     {"tacho_energy_high_joules", "gauge", "joules", kHigh}},
    {"MiB",
     1048576,
     1,
     {"tacho_transferred_bytes", "counter", "bytes", "Bytes, since tacho's start"},
     {"tacho_transferred_low_bytes", "gauge", "bytes", kLow},
     {"tacho_transferred_high_bytes", "gauge", "bytes", kHigh}},
};
// An event with any other unit of sysfs, which is then a label.
constexpr EventFamilies kOtherEvents{
    "",
    1,
    1,
    {"tacho_other", "counter", "", "An event in the unit of the label, since tacho's start"},
    {"tacho_other_low", "gauge", "", kLow},
    {"tacho_other_high", "gauge", "", kHigh}};

const EventFamilies& families_of(const EventSummary& event) {
  for (const EventFamilies& families : kEventFamilies)
    if (families.unit == event.unit) return families;
  return kOtherEvents;
}

// Labels of a series, as they are between braces.
class Labels {
 public:
  Labels with(std::string_view name, std::string_view value) const {
    if (value.empty()) return *this;  // the same as none, by the data model
    Labels longer = *this;
    longer.text_ += fmt::format("{}{}=\"", text_.empty() ? "" : ",", name);
    for (const char c : printable(value)) {
      if (c == '\\' || c == '"') longer.text_ += '\\';
      longer.text_ += c;
    }
    longer.text_ += '"';
    return longer;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// What a series is of. Parts have families of their own, so the sum of a family counts nothing
// twice.
enum class Scope { whole, part };

std::string name_of(const Family& family, Scope scope) {
  constexpr std::string_view kPrefix = "tacho_";
  if (scope == Scope::whole) return std::string(family.name);
  return fmt::format("{}part_{}", kPrefix, family.name.substr(kPrefix.size()));
}

// The text of the families, in the order in which they first came.
class Text {
 public:
  // Adds a series. Nothing happens without a value, or if the series is there already.
  void add(const Family& family, const Labels& labels, const std::optional<double>& value,
           Scope scope = Scope::whole) {
    const std::string number = csv_number(value);
    if (number.empty()) return;
    Lines& lines = of(family, scope);
    if (!lines.labels.insert(labels.text()).second) return;
    lines.text += fmt::format("{}{}{{{}}} {}\n", lines.family,
                              family.type == "counter" ? "_total" : "", labels.text(), number);
  }

  std::string ended() const {
    std::string text;
    for (const Lines& family : families_) text += family.text;
    return text + "# EOF\n";
  }

 private:
  struct Lines {
    std::string family;
    std::string text;
    std::set<std::string> labels;
  };

  Lines& of(const Family& family, Scope scope) {
    const std::string name = name_of(family, scope);
    for (Lines& lines : families_)
      if (lines.family == name) return lines;
    Lines& lines = families_.emplace_back();
    lines.family = name;
    lines.text = fmt::format("# TYPE {} {}\n", name, family.type);
    if (!family.unit.empty()) lines.text += fmt::format("# UNIT {} {}\n", name, family.unit);
    lines.text += fmt::format("# HELP {} {}{}.\n", name,
                              scope == Scope::part ? "Of a part of the run: " : "", family.help);
    return lines;
  }

  std::vector<Lines> families_;
};

void add(Text& text, const Labels& of, const Totals& totals, Scope scope) {
  for (std::size_t i = 0; i < totals.summary.events.size(); ++i) {
    const EventSummary& event = totals.summary.events[i];
    if (is_absent(event)) continue;
    const EventFamilies& families = families_of(event);
    const Labels labels = of.with("event", event.name)
                              .with("unit", &families == &kOtherEvents ? event.unit : "")
                              .with("pmu", event.pmu)
                              .with("part_of", event.part_of);
    const auto scaled = [&](std::optional<double> value) {
      if (value) *value = *value * families.multiply / families.divide;
      return value;
    };
    const auto ends = ends_of(event);
    text.add(families.total, labels, scaled(estimate_of(event)), scope);
    text.add(families.low, labels, scaled(low_of(ends)), scope);
    text.add(families.high, labels, scaled(high_of(ends)), scope);
    text.add(kCounted, labels, totals.counted_s[i], scope);
  }
  for (const MetricSummary& metric : totals.summary.metrics) {
    const Labels labels = of.with("metric", metric.name).with("unit", metric.unit);
    const auto ends = ends95(metric);
    text.add(kMetric, labels, metric.value, scope);
    text.add(kMetricLow, labels, low_of(ends), scope);
    text.add(kMetricHigh, labels, high_of(ends), scope);
  }
}

}  // namespace

std::string to_openmetrics(const OpenMetrics& metrics) {
  const Machine& machine = metrics.machine;
  const Labels run = Labels().with("run", metrics.run);
  Text text;
  text.add(kInfo,
           run.with("version", metrics.version)
               .with("pmu_kind", to_string(machine.pmu_kind))
               .with("pmu", machine.pmu_name)
               .with("target", metrics.target),
           1);
  text.add(machine.simulated() ? kSimulatedSeconds : kElapsed, run, metrics.elapsed_s);
  if (metrics.usage) {
    text.add(kUser, run, metrics.usage->user_s);
    text.add(kSystem, run, metrics.usage->system_s);
    text.add(kMemory, run, static_cast<double>(metrics.usage->max_rss_bytes));
  }
  text.add(kWarnings, run, static_cast<double>(metrics.warnings));
  add(text, run, metrics.totals, Scope::whole);
  for (const OpenMetrics::Part& part : metrics.parts)
    add(text, run.with("part", part.label).with("kind", metrics.kind_of_parts), part.totals,
        Scope::part);
  return text.ended();
}

}  // namespace tacho
