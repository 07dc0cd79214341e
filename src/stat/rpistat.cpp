#include "stat/rpistat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "estimate/summarise.hpp"
#include "report/absence.hpp"
#include "report/figure.hpp"

namespace tacho {
namespace {

// The column in which values begin, from 0.
constexpr std::size_t kSystemValues = 28;
constexpr std::size_t kValues = 22;

std::string line(std::string_view label, std::string_view value, std::size_t column = kValues) {
  std::string text = pad_right(fmt::format("  {}:", label), column) + std::string(value);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

// The moment as asctime(3) writes it: "Wed Jun 26 15:12:33 2013". Text that is not ISO 8601 stays
// as it is.
std::string date(const std::string& iso8601) {
  int year{}, hour{}, minute{}, second{};
  unsigned month{}, day{};
  const int read = std::sscanf(iso8601.c_str(), "%d-%u-%uT%d:%d:%d", &year, &month, &day, &hour,
                               &minute, &second);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (read != 6 || !date.ok()) return printable(iso8601);
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::weekday weekday{std::chrono::sys_days(date)};
  return fmt::format("{} {} {:2} {:02}:{:02}:{:02} {}", kDays.at(weekday.c_encoding()),
                     kMonths.at(month - 1), day, hour, minute, second, year);
}

std::string pmu(const Machine& machine) {
  std::string name(to_string(machine.pmu_kind));
  if (!machine.pmu_name.empty() && machine.pmu_name != name)
    name += fmt::format(" ({})", printable(machine.pmu_name));
  if (machine.simulated()) return name + ": user mode alone; cycles are the model's estimate";
  if (machine.pmu_kind == PmuKind::software) return name + ": the kernel's own events alone";
  return name;
}

std::string not_available(std::string_view reason) {
  return fmt::format("not available ({})", reason);
}

std::string whole_number(double value, const NumberStyle& style) {
  return fixed(std::round(value), 0, style);
}

std::string count(const EventSummary& event, const RowSource& source, bool scaled,
                  const NumberStyle& style) {
  if (is_absent(event)) return not_available(reason_of(event));
  std::string text = whole_number(*event.count, style);
  if (scaled) text += fmt::format("  [{}]", whole_number(*event.estimate, style));
  if (event.status == Status::estimated)
    text += event.ci95 ? "  " + spread(*event.estimate, *event.ci95, style)
                       : fmt::format("  ({})", event.reason);
  if (!source.note.empty()) text += fmt::format("  ({})", source.note);
  return text;
}

std::string ratio(const MetricSummary& metric, const NumberStyle& style) {
  if (!metric.value) return not_available(metric.reason);
  // Units are where the published layout has them: percentages one column before PTI.
  const std::size_t width = metric.unit == "PTI" ? 7 : 6;
  std::string text = pad_right(fixed(*metric.value, 3, style), width) + ' ' + metric.unit;
  if (!metric.ci95) return text + fmt::format("  ({})", metric.reason);
  return *metric.ci95 > 0 ? text + "  " + figure_of(metric, style).spread : text;
}

// The number of periods in which one of the events was counted.
std::string periods_of(std::span<const EventSummary> events, std::size_t all,
                       const NumberStyle& style) {
  std::optional<std::size_t> most;
  for (const EventSummary& event : events) {
    if (is_absent(event)) continue;
    const bool always = event.share >= 1;
    most = std::max(most.value_or(0), always ? all : event.periods);
  }
  return most ? whole(*most, style) : not_available("none of its events");
}

std::string notes(const Summary& summary, const Measurement& m, const std::string& advice) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& note) {
    if (!note.empty() && std::ranges::find(all, note) == all.end()) all.push_back(note);
  };
  for (const EventSummary& event : summary.events)
    if (is_absent(event)) add(event.remedy);
  for (const std::string& warning : all_warnings(m, summary)) add(warning);
  add(advice);
  if (all.empty()) return {};
  std::string text = "\nNotes\n";
  for (const std::string& note : all) text += paragraph("  - ", printable(note, 1'000));
  return text;
}

NumberStyle with_thousands(NumberStyle style) {
  if (!style.thousands.empty() && !style.grouping.empty()) return style;
  style.thousands = style.decimal == "," ? "." : ",";
  style.grouping = "\3";
  return style;
}

// The event of this name, or its parts on unequal cores.
std::vector<const CountedEvent*> events_named(std::string_view name, const Measurement& m) {
  std::vector<const CountedEvent*> found;
  for (const CountedEvent& event : m.events)
    if (!name.empty() && (event.name == name || event.part_of == name)) found.push_back(&event);
  return found;
}

std::string as_column(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

}  // namespace

Measurement of_rows(const RowReport& report, const Measurement& m) {
  std::vector<std::string> names = {std::string(kCyclesRow)};
  for (const ReportSet& set : report.layout.sets)
    names.insert(names.end(), set.rows.begin(), set.rows.end());
  Measurement rows = m;
  rows.events.clear();
  for (std::size_t i = 0; i < names.size() && i < report.rows.size(); ++i) {
    const RowSource& source = report.rows[i];
    for (const CountedEvent* counted : events_named(source.event, m)) {
      CountedEvent& row = rows.events.emplace_back(*counted);
      if (row.part_of.empty())
        row.name = names[i];
      else
        row.part_of = names[i];
    }
    if (!events_named(source.event, m).empty()) continue;
    CountedEvent& row = rows.events.emplace_back();
    row.name = names[i];
    row.duty = Duty::unsupported;
    row.reason = source.absent.what;
    row.remedy = source.absent.remedy;
  }
  return rows;
}

std::vector<CountedEvent> events_of_rows(const RowReport& report, const Measurement& m) {
  std::vector<CountedEvent> events;
  for (CountedEvent& event : of_rows(report, m).events) {
    if (event.part_of.empty()) {
      events.push_back(std::move(event));
    } else if (events.empty() || events.back().name != event.part_of) {
      event.name = event.part_of;
      events.push_back(std::move(event));
    }
  }
  return events;
}

std::string to_rpistat(const RowReport& report, const Measurement& m, std::size_t periods,
                       const std::string& advice, NumberStyle style) {
  style = with_thousands(std::move(style));
  std::vector<Metric> metrics;
  for (const ReportSet& set : report.layout.sets)
    metrics.insert(metrics.end(), set.ratios.begin(), set.ratios.end());
  Summary summary = summarise(of_rows(report, m), metrics);
  std::erase_if(summary.events, [](const EventSummary& event) { return !event.part_of.empty(); });

  const int processors = m.machine.simulated() ? 1 : m.machine.cpus;
  std::string text = fmt::format("{}: {}\n{}\n\n", report.layout.name,
                                 printable(m.workload.label, 1'000), date(m.workload.started));
  text += "System information\n";
  text += line("Number of processors", fmt::format("{}", processors), kSystemValues);
  text += line("PMU", pmu(m.machine), kSystemValues);
  text += "\nPerformance events\n";
  text += "  [ ... ] = scaled event count\n";
  text += "  PTI     = per thousand instructions\n";
  text += "  ±       = 95 % interval of what was scaled; (a…b) are its ends\n";
  text += line("Total periods", whole(periods, style)) + '\n';

  const std::span<const EventSummary> events(summary.events);
  text += line(kCyclesRow, count(events.front(), report.rows.front(), false, style));
  std::size_t row = 1, metric = 0;
  for (const ReportSet& set : report.layout.sets) {
    if (row > 1) text += '\n';
    const auto of_set = events.subspan(row, set.rows.size());
    for (const std::string& name : set.rows) {
      text += line(name, count(events[row], report.rows[row], true, style));
      ++row;
    }
    text += line(set.name + " periods", periods_of(of_set, periods, style));
    for (const Metric& each : set.ratios)
      text += line(each.name, ratio(summary.metrics[metric++], style));
  }
  return text + notes(summary, m, advice);
}

std::string RowData::header(const Measurement& m) const {
  const std::vector<CountedEvent> rows = events_of_rows(report_, m);
  std::string text = fmt::format("# {}.data: a line a period of: {}\n", report_.layout.name,
                                 printable(m.workload.label, 1'000));
  text += fmt::format("# {}; PMU {}\n", m.workload.started, pmu(m.machine));
  text +=
      "# total_cycles: of the whole run, up to the period's end; set: which was on; start_s, "
      "duration_s:\n"
      "# seconds since the beginning, and of the period; cycles: in the period, while its set was "
      "on; then\n"
      "# raw counts of the same time. - is what was not counted: gnuplot's set datafile missing "
      "\"-\"\n";
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CountedEvent& event = rows[i];
    const std::string when = event.duty == Duty::always   ? ", in all periods"
                             : event.duty == Duty::turned ? fmt::format(", set {}", event.set)
                                                          : ", not available";
    text += fmt::format("# {} = {}{}\n", as_column(event.name),
                        report_.rows[i].event.empty() ? "-" : report_.rows[i].event, when);
  }
  text += "# total_cycles set start_s duration_s cycles";
  for (std::size_t i = 1; i < rows.size(); ++i) text += ' ' + as_column(rows[i].name);
  return text + '\n';
}

std::string RowData::period(const Measurement& m, const Period& period,
                            std::span<const std::uint64_t> always) {
  ++periods_;
  const bool turned = m.sets > 0;
  const bool ran = period.running_ns > 0 || period.enabled_ns == 0;
  // The count in the period; none if the row was not counted in it.
  const auto counted = [&](const RowSource& source) {
    std::optional<std::uint64_t> sum;
    for (const CountedEvent* event : events_named(source.event, m)) {
      const bool on = turned && ran && event->duty == Duty::turned && event->set == period.set;
      if (event->duty == Duty::always && event->slot < always.size())
        sum = sum.value_or(0) + always[event->slot];
      else if (on && event->slot < period.counts.size())
        sum = sum.value_or(0) + period.counts[event->slot];
    }
    return sum;
  };
  const auto shown = [](std::optional<std::uint64_t> count) {
    return count ? fmt::format(" {}", *count) : " -";
  };
  const std::optional<std::uint64_t> cycles = counted(report_.rows.front());
  cycles_ += cycles.value_or(0);
  std::string text = cycles ? fmt::format("{}", cycles_) : "-";
  text += turned ? fmt::format(" {}", period.set) : " -";
  text += fmt::format(" {:.6f} {:.6f}", period.start_s, period.duration_s);
  text += shown(turned && cycles ? std::optional(period.reference) : cycles);
  for (std::size_t i = 1; i < report_.rows.size(); ++i) text += shown(counted(report_.rows[i]));
  return text + '\n';
}

}  // namespace tacho
