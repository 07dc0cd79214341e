#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "caliper/estimated_total.hpp"
#include "caliper/note_rates.hpp"
#include "caliper/region_remarks.hpp"
#include "regions/report.hpp"

namespace tacho {
namespace {

constexpr std::string_view kSides = "<>><>>>>>>";

const Cells kHead = {"region", "executions", "threads", "",        "total",
                     "mean",   "median",     "99 %",    "minimum", "own cost"};

// A figure of a quantity; `half_width` is that of its interval, if it has one.
std::string figure(const RegionQuantity& quantity, const std::optional<double>& value,
                   const std::optional<double>& half_width, double scale,
                   const NumberStyle& style) {
  if (!value) return "-";
  if (!quantity.estimated) return brief(*value * scale, style);
  return caliper::estimated_total(
      *value * scale, half_width ? std::optional(*half_width * scale) : std::nullopt, style);
}

// `executions` are those of the region.
Cells figures(const RegionQuantity& quantity, std::string label, std::uint64_t executions,
              double scale, const NumberStyle& style) {
  Cells cells(kHead.size());
  cells[3] = std::move(label);
  cells[4] = figure(quantity, quantity.total, quantity.ci95, scale, style);
  std::optional<double> of_mean;
  if (quantity.ci95 && executions > 0) of_mean = *quantity.ci95 / static_cast<double>(executions);
  cells[5] = figure(quantity, quantity.mean, of_mean, scale, style);
  const std::array values = {quantity.median, quantity.p99, quantity.minimum};
  for (std::size_t i = 0; i < values.size(); ++i)
    cells[6 + i] = figure(quantity, values[i], std::nullopt, scale, style);
  cells[9] = quantity.cost ? brief(*quantity.cost * scale, style) : "-";
  return cells;
}

std::string label_of(const RegionQuantity& quantity) {
  return quantity.name + (quantity.unit.empty() ? "" : " " + quantity.unit);
}

void add_rows(std::vector<Cells>& rows, const RegionSummary& region, const std::string& label,
              const NumberStyle& style) {
  const std::size_t first = rows.size();
  constexpr double kNanoseconds = 1e9;
  for (const RegionQuantity& quantity : region.quantities) {
    rows.push_back(figures(quantity, printable(label_of(quantity)), region.executions, 1, style));
    if (&quantity == region.quantities.data())
      rows.push_back(
          figures(quantity, "time ns", region.executions, kNanoseconds / region.clock_hz, style));
  }
  std::vector<caliper::QuantityTotal> totals;
  for (const RegionQuantity& quantity : region.quantities)
    totals.push_back({.name = printable(label_of(quantity)),
                      .total = quantity.total,
                      .noted = quantity.noted,
                      .in_all = quantity.executions == region.executions});
  for (const caliper::NoteRate& rate : caliper::note_rates(totals, region.clock_hz, style)) {
    rows.emplace_back(kHead.size());
    rows.back()[3] = rate.label;
    rows.back()[5] = rate.value;
  }
  if (rows.size() == first) rows.emplace_back(kHead.size());
  rows[first][0] = label + (region.too_short ? " (!)" : "");
  rows[first][1] = whole(region.executions, style);
  rows[first][2] = whole(region.threads, style);
}

constexpr std::string_view kSpreadSides = "<>>>><";

const Cells kSpreadHead = {
    "time ns of a process", "processes", "minimum", "mean", "maximum", "longest in"};

// The region's name; with its program where there are several programs.
std::string label_of(const RegionSummary& region, bool several_programs) {
  const std::string name = several_programs ? region.program + ": " + region.name : region.name;
  return caliper::region_label(printable(name, name.npos));
}

// How unequal the processes were, for the regions of several ones. Empty if there are none.
std::string spread_over_processes(const std::vector<RegionSummary>& all, bool several_programs,
                                  const NumberStyle& style) {
  std::vector<Cells> rows = {kSpreadHead};
  for (const RegionSummary& region : all) {
    if (region.processes < 2) continue;
    constexpr double kNanoseconds = 1e9;
    const auto ns = [&](double ticks) {
      return brief(ticks * kNanoseconds / region.clock_hz, style);
    };
    rows.push_back({label_of(region, several_programs), whole(region.processes, style),
                    ns(region.spread.minimum),
                    ns(time_of(region) / static_cast<double>(region.processes)),
                    ns(region.spread.maximum), printable(region.spread.longest)});
  }
  return rows.size() == 1 ? "" : "\n" + aligned(rows, kSpreadSides, "   ");
}

// How the regions of each program were inside each other.
std::string trees(const Regions& regions, const NumberStyle& style) {
  std::string text;
  const std::vector<ProgramPaths> programs = paths_together(regions.processes);
  for (const ProgramPaths& program : programs) {
    std::vector<caliper::RegionPath> paths = program.paths;
    for (caliper::RegionPath& path : paths)
      path.name = caliper::region_label(printable(path.name, path.name.npos));
    const std::string table = caliper::path_table(paths, program.clock_hz, "   ", style);
    if (table.empty()) continue;
    text += '\n';
    if (programs.size() > 1) text += fmt::format("   {}\n", printable(program.program));
    text += table;
  }
  return text;
}

// Adds a text that is not empty and not there yet, up to a few: real processes have one or two.
void keep(std::vector<std::string>& texts, const std::string& text) {
  constexpr std::size_t kFew = 8;
  if (!text.empty() && texts.size() < kFew && std::ranges::find(texts, text) == texts.end())
    texts.push_back(text);
}

// The way in which the figures were measured.
std::string heading(const Regions& regions, std::size_t repeats, const NumberStyle& style) {
  std::vector<std::string> clocks;
  std::vector<std::string> ways;
  for (const RegionProcess& process : regions.processes) {
    keep(clocks, printable(process.clock));
    keep(ways, printable(process.counting));
  }
  return fmt::format(
      "Regions of {} process{}{}; ticks: {}{}{}; without the measuring's own cost",
      whole(regions.processes.size(), style), regions.processes.size() == 1 ? "" : "es",
      repeats > 1 ? fmt::format(" in all {} runs", repeats) : "", fmt::join(clocks, ", "),
      ways.empty() ? "" : "; counted by ", fmt::join(ways, ", "));
}

// The costs of measuring in the quantities of which an execution takes less. No value if a median
// is not known.
std::optional<std::string> too_high_costs(const RegionSummary& region, const NumberStyle& style) {
  std::string costs;
  for (const RegionQuantity& q : region.quantities) {
    const bool is_time = &q == region.quantities.data() || q.unit == "ns";
    if (!is_time || !q.total || q.executions == 0) continue;
    if (!q.median || !q.cost) return std::nullopt;
    if (*q.median >= *q.cost) continue;
    costs += fmt::format("{}{} {}", costs.empty() ? "" : ", ", brief(*q.cost, style),
                         q.unit.empty() ? q.name : q.unit + " of " + q.name);
  }
  return costs;
}

std::vector<std::string> remarks(const std::vector<RegionSummary>& all, const Regions& regions,
                                 bool several_programs, const NumberStyle& style) {
  std::vector<caliper::RemarkedRegion> remarked;
  for (const RegionSummary& region : all) {
    remarked.push_back({.label = label_of(region, several_programs),
                        .too_short = region.too_short,
                        .costs = too_high_costs(region, style),
                        .recursions = region.recursions,
                        .unfinished = region.unfinished,
                        .left_open_by = printable(region.left_open_by),
                        .not_counted = {}});
    for (const RegionQuantity& quantity : region.quantities)
      if (!quantity.total)
        remarked.back().not_counted.push_back(
            caliper::not_counted(printable(quantity.name), printable(quantity.reason, 2000),
                                 printable(quantity.remedy, 2000)));
  }
  std::vector<std::string> lines = caliper::remarks_on(remarked, style);
  caliper::Unmeasured unmeasured;
  std::uint64_t without_path = 0;
  for (const RegionProcess& process : regions.processes) {
    unmeasured.unmatched += process.unmatched;
    unmeasured.perhaps_unmatched += process.perhaps_unmatched;
    unmeasured.too_deep += process.too_deep;
    unmeasured.no_memory += process.no_memory;
    without_path += process.without_path;
  }
  for (std::string& line : caliper::remarks_on(unmeasured, style)) lines.push_back(std::move(line));
  if (without_path > 0) lines.push_back(caliper::no_path_left(without_path, style));
  std::vector<std::string> on;
  for (const RegionProcess& process : regions.processes)
    if (process.on_s && process.of_s && *process.on_s < *process.of_s)
      keep(on, fmt::format("process {}: {}", process.pid,
                           caliper::on_remark(*process.on_s, *process.of_s)));
  std::ranges::move(on, std::back_inserter(lines));
  return lines;
}

}  // namespace

std::string region_text(const std::optional<Regions>& found, const Workload& workload,
                        std::size_t repeats, const NumberStyle& style) {
  if (!found) return {};
  const Regions& regions = *found;
  const std::vector<RegionSummary> all = together(regions.processes);
  const bool several_programs = std::ranges::any_of(
      all, [&](const RegionSummary& region) { return region.program != all.front().program; });
  std::string text = "\n Regions\n";
  std::vector<std::string> lines = region_warnings(found, workload);
  if (!all.empty()) {
    text = "\n" + paragraph(" ", heading(regions, repeats, style)) + "\n";
    std::vector<Cells> rows = {kHead};
    for (const RegionSummary& region : all)
      add_rows(rows, region, label_of(region, several_programs), style);
    text += aligned(rows, kSides, "   ");
    text += spread_over_processes(all, several_programs, style);
    text += trees(regions, style);
  } else if (!regions.processes.empty()) {
    lines.emplace_back("no execution of a region was measured");
  }
  for (std::string& line : remarks(all, regions, several_programs, style))
    lines.push_back(std::move(line));
  if (!all.empty() && !lines.empty()) text += '\n';
  for (const std::string& line : lines) text += paragraph("   - ", line);
  return text;
}

std::vector<std::string> region_warnings(const std::optional<Regions>& found,
                                         const Workload& workload) {
  std::vector<std::string> lines;
  if (!found) return lines;
  const Regions& regions = *found;
  const std::string command =
      workload.command.empty() ? "the command" : "'" + printable(workload.command.front()) + "'";
  if (regions.processes.empty() && regions.unreadable == 0)
    lines.push_back(fmt::format(
        "{} reported no regions: {}", command,
        workload.signal
            ? "a signal ended it, and regions are told at a program's own end"
            : "it is not linked with tacho's library, or ran through none of its regions, or its "
              "processes were ended by a signal or _exit, or run on another host"));
  else if (workload.signal)
    lines.push_back(command + " was ended by a signal: what it measured itself is lost");
  if (regions.unreadable > 0)
    lines.push_back(
        fmt::format("{} of the regions could not be read, and {} left out: a process has "
                    "too many regions, events and notes, or what it wrote is damaged",
                    regions.unreadable == 1 ? std::string("a line")
                                            : fmt::format("{} lines", regions.unreadable),
                    regions.unreadable == 1 ? "is" : "are"));
  if (regions.cut)
    lines.emplace_back(
        "the processes wrote more regions than tacho keeps: the rest is left out. Give regions "
        "fewer names");
  return lines;
}

}  // namespace tacho
