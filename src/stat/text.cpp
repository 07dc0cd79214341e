// The report of `tacho stat` for people: figures first, then the events that were not available
// with the reasons, then warnings. Each estimate has a "~" and says from how much of the run it is.
#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/cpus.hpp"
#include "base/number.hpp"
#include "base/shell_line.hpp"
#include "base/text_layout.hpp"
#include "regions/report.hpp"
#include "report/absence.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"
#include "stat/part_table.hpp"
#include "stat/rate_of.hpp"
#include "stat/report.hpp"

namespace tacho {
namespace {

std::string title(const StatReport& report, std::size_t columns) {
  const Machine& machine = report.measurement.machine;
  std::string label = report.measurement.workload.label;
  if (label.empty()) label = shell_line(report.measurement.workload.command);
  std::string pmu =
      machine.pmu_name == to_string(machine.pmu_kind) ? "" : printable(machine.pmu_name);
  if (machine.counters) {
    pmu += fmt::format("{}{} counter{}", pmu.empty() ? "" : ", ", *machine.counters,
                       *machine.counters == 1 ? "" : "s");
  }
  return paragraph(
      " ",
      fmt::format("{}: {} events{}{}", printable(label), to_string(machine.pmu_kind),
                  pmu.empty() ? "" : " (" + pmu + ")",
                  report.repeats > 1 ? fmt::format(", mean of {} runs", report.repeats) : ""),
      columns);
}

std::string turning(const StatReport& report, const NumberStyle& style, std::size_t columns) {
  const Measurement& m = report.measurement;
  if (m.sets == 0) return {};
  const bool as_asked = std::abs(m.reached_period_ms - m.period_ms) <= 0.05 * m.period_ms;
  const int decimals = m.reached_period_ms < 0.1 ? 3 : 1;
  const std::string cost =
      m.machine.simulated()
          ? ""
          : fmt::format("; a turn cost {} µs",
                        fixed(m.turn_cost_us, m.turn_cost_us < 10 ? 1 : 0, style));
  return paragraph(
      " ",
      fmt::format("{} event sets took turns{}: {} of {} ms{}, scaled by {}{}", m.sets,
                  report.repeats > 1 ? " (last run)" : "", plural(period_count(m), "period", style),
                  fixed(m.reached_period_ms, decimals, style),
                  as_asked ? "" : fmt::format(" ({} ms asked for)", fixed(m.period_ms, 1, style)),
                  m.reference, cost),
      columns);
}

// How much of the CPU time each kind of unequal cores had.
std::string kinds_of_cores(const StatReport& report, const NumberStyle& style,
                           std::size_t columns) {
  const Measurement& m = report.measurement;
  std::vector<std::string> kinds;
  for (const Lane& lane : m.lanes) {
    if (lane.pmu.empty()) continue;
    std::string kind = fmt::format(
        "{} ({}{})", lane.pmu, cpus_in_words(lane.cpus),
        lane.counters ? ", " + plural(static_cast<std::size_t>(*lane.counters), "counter", style)
                      : "");
    if (!m.workload.every_cpu && lane.enabled_ns > 0)
      kind = fmt::format("{}{} on {}", percentage(lane.share(), style),
                         kinds.empty() ? " of the CPU time" : "", kind);
    kinds.push_back(std::move(kind));
  }
  if (kinds.empty()) return {};
  return paragraph(" ",
                   fmt::format("Unequal cores{}: {}", report.repeats > 1 ? " (last run)" : "",
                               fmt::join(kinds, ", ")),
                   columns);
}

// What the intervals are of: nobody can know from runs in a row how others will be.
std::string validity(const StatReport& report, std::size_t columns) {
  if (report.repeats < 2) return {};
  const bool simulated = report.measurement.machine.simulated();
  return paragraph(
      " ",
      fmt::format("Intervals (95 %) are of the mean of these {} runs{}.", report.repeats,
                  simulated ? "" : " in a row, on this machine at this time"),
      columns);
}

std::string simulation(const StatReport& report, const NumberStyle& style, std::size_t columns) {
  if (!report.measurement.machine.simulated()) return {};
  const auto& error = report.measurement.machine.cycles_error;
  const std::string known =
      error ? fmt::format("Its cycles were wrong by {} % in the mean of {}.",
                          fixed(error->mean_percent, 1, style), printable(error->of))
            : "How far its cycles are from a real processor's was not measured.";
  return paragraph(" ",
                   "Simulated: user mode alone, on one core; cycles, stalls and times are the "
                   "model's estimate.",
                   columns) +
         paragraph(" ", known, columns);
}

std::string origin(const EventSummary& event, const NumberStyle& style) {
  if (event.status == Status::simulated) return "simulated";
  if (event.status != Status::estimated) return event.ci95 && event.pmu.empty() ? "" : event.reason;
  std::string part = percentage(event.share, style) + " of the run";
  if (event.periods > 0) {
    part +=
        fmt::format(" ({} period{})", whole(event.periods, style), event.periods == 1 ? "" : "s");
  }
  if (event.estimate == 0.0) return "none seen in " + part;
  if (event.ci95) return "from " + part;
  return "from " + part + (event.reason.empty() ? "" : "; " + event.reason);
}

// A second figure of the same event, with its name; empty if there is none.
std::string beside(std::string_view name, EventSummary event, std::optional<double> value,
                   const NumberStyle& style) {
  event.estimate = value;
  event.ci95.reset();
  const Figure figure = figure_of(event, false, style);
  if (figure.value.empty()) return {};
  return std::string(name) + figure.value + (figure.unit.empty() ? "" : ' ' + figure.unit);
}

EventSummary known(EventSummary event) {
  event.status = Status::simulated;
  return event;
}

Row row_of(const EventSummary& event, const StatReport& report, const NumberStyle& style) {
  Row row{figure_of(event, report.repeats > 1, style), event.name, {}};
  if (row.figure.value.empty()) return row;
  row.rest = {rate_of(event, report, style), beside("minimum ", event, event.minimum, style),
              beside("truth ", known(event), event.truth, style), origin(event, style)};
  return row;
}

Row row_of(const MetricSummary& metric, const NumberStyle& style) {
  Row row{figure_of(metric, style), metric.name, {}};
  row.rest[0] = metric.unit == "%"     ? ""
                : metric.unit == "PTI" ? "per thousand instructions"
                                       : metric.unit;
  if (!metric.ci95) {
    row.rest[3] = metric.reason.empty() ? "no interval: too few periods" : metric.reason;
  }
  return row;
}

std::string figures(const StatReport& report, const NumberStyle& style, std::size_t columns) {
  if (report.summary.events.empty()) return {};  // nothing was asked for
  std::vector<Row> events;
  std::vector<Row> metrics;
  std::string sum;  // the last one in the table: its parts stand below it
  std::string_view of_which;
  for (const EventSummary& event : report.summary.events) {
    if (is_absent(event)) continue;
    Row row = row_of(event, report, style);
    if (event.part_of.empty()) {
      sum = event.name;
      of_which = "  of which ";
    } else if (event.part_of == sum) {
      row.name = std::string(std::exchange(of_which, "           ")) + row.name;
    }
    if (!row.figure.value.empty()) events.push_back(std::move(row));
  }
  for (const MetricSummary& metric : report.summary.metrics) {
    Row row = row_of(metric, style);
    if (!row.figure.value.empty()) metrics.push_back(std::move(row));
  }
  if (events.empty() && metrics.empty()) return "\n Nothing could be counted.\n";
  return '\n' + table(events, metrics, columns);
}

std::string usage(const Workload& workload, const NumberStyle& style) {
  return fmt::format("   {} user   {} system   {} maximum resident",
                     seconds(workload.user_s, style), seconds(workload.system_s, style),
                     bytes(workload.max_rss_bytes, style));
}

std::string times(const StatReport& report, const NumberStyle& style, std::size_t columns) {
  const Workload& workload = report.measurement.workload;
  const Repeats elapsed = elapsed_of(report);
  std::string text = "   " + seconds(elapsed.mean, style);
  if (elapsed.half_width) text += ' ' + spread(elapsed.mean, *elapsed.half_width, style);
  text += report.measurement.machine.simulated() ? " simulated" : " elapsed";
  if (report.repeats > 1) text += " (minimum " + seconds(elapsed.minimum, style) + ")";
  if (!report.counted.empty()) text += ", counted for " + seconds(counting_of(report), style);
  if (!workload.has_usage) return text + '\n';
  const std::string used = usage(workload, style);
  const bool is_long = report.repeats > 1 || !report.counted.empty() ||
                       display_width(text) + display_width(used) > columns;
  return text + (is_long ? "\n" : "") + used + '\n';
}

std::string ending(const StatReport& report) {
  const Workload& workload = report.measurement.workload;
  const std::string_view run = report.repeats > 1 ? "last run: " : "";
  if (workload.signal && workload.ended_well())
    return fmt::format("   {}ended by SIGTERM, which tacho sent as asked\n", run);
  if (workload.signal) {
    const char* name = sigabbrev_np(*workload.signal);
    const char* meaning = sigdescr_np(*workload.signal);
    const bool known = name != nullptr && meaning != nullptr;
    return fmt::format("   {}killed by signal {}{}\n", run, *workload.signal,
                       known ? fmt::format(" (SIG{}, {})", name, meaning) : "");
  }
  if (workload.exit_code == 0) return {};
  return fmt::format("   {}exited with status {}\n", run, workload.exit_code);
}

std::string in_full(const std::vector<Absence>& all, std::size_t columns) {
  std::string text = "\n Not available here\n";
  for (const Absence& absence : all) {
    text += paragraph("   ", fmt::format("{}", fmt::join(absence.names, ", ")), columns);
    text += paragraph("      ", printable(absence.reason, 2000), columns);
    if (!absence.remedy.empty())
      text += paragraph("      Remedy: ", printable(absence.remedy, 2000), columns);
  }
  return text;
}

std::string in_brief(const std::vector<Absence>& all, std::size_t columns) {
  std::string text = "\n Not available here ('tacho doctor' and -v tell more)\n";
  for (const std::string& line : brief_absences(all)) text += paragraph("   ", line, columns);
  return text;
}

std::string not_available(const Summary& summary, bool verbose, std::size_t columns) {
  const std::vector<Absence> all = absences(summary);
  if (all.empty()) return {};
  return verbose || !are_many(all) ? in_full(all, columns) : in_brief(all, columns);
}

std::string warnings(const StatReport& report, std::size_t columns) {
  std::string text;
  for (const std::string& warning : all_warnings(report.measurement, report.summary)) {
    text += paragraph("   - ", printable(warning, 2000), columns);
  }
  return text.empty() ? text : "\n Warnings\n" + text;
}

// The run without the simulator: its own table and times.
std::string native(const StatReport& report, const NumberStyle& style, std::size_t columns,
                   std::size_t table_columns) {
  if (!report.native) return {};
  StatReport run;
  run.measurement = report.native->measurement;
  run.summary = report.native->summary;
  return "\n Native run, without the simulator" + figures(run, style, table_columns) + '\n' +
         times(run, style, columns) + ending(run) +
         not_available(run.summary, !report.plan.empty(), columns) + warnings(run, columns);
}

std::string counted_how(const StatReport& report) {
  return report.plan.empty() ? "" : "\n How it was counted\n" + report.plan;
}

}  // namespace

std::string to_text(const StatReport& report, const NumberStyle& style, std::size_t columns,
                    std::size_t table_columns) {
  const std::string parts = part_table(report, style, columns);
  return title(report, columns) + validity(report, columns) + simulation(report, style, columns) +
         kinds_of_cores(report, style, columns) + turning(report, style, columns) +
         figures(report, style, table_columns) + (parts.empty() ? "" : '\n' + parts) + '\n' +
         times(report, style, columns) + ending(report) +
         region_text(report.regions, report.measurement.workload, report.repeats, style) +
         native(report, style, columns, table_columns) +
         not_available(report.summary, !report.plan.empty(), columns) + warnings(report, columns) +
         counted_how(report) +
         (report.advice.empty() ? "" : '\n' + paragraph(" ", report.advice, columns));
}

std::string with_colours(std::string_view text) {
  constexpr std::string_view kBold = "\033[1m", kYellow = "\033[33m", kDim = "\033[2m",
                             kPlain = "\033[0m";
  std::string coloured;
  std::string_view colour = kBold;  // of the first line
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with(" Warnings")) colour = kYellow;
    if (line.starts_with(" Not available here")) colour = kDim;
    if (line.empty()) colour = {};
    coloured += colour;
    coloured += line;
    if (!colour.empty()) coloured += kPlain;
    coloured += '\n';
    if (colour == kBold) colour = {};
    begin = end + 1;
  }
  return coloured;
}

}  // namespace tacho
