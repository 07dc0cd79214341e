// The reports of `tacho report` as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/shell_line.hpp"
#include "base/text_layout.hpp"
#include "profile/call_stacks.hpp"
#include "profile/other_events.hpp"
#include "profile/report.hpp"
#include "profile/table_cells.hpp"
#include "report/figure.hpp"

namespace tacho {
namespace {

constexpr std::size_t kWidestHeaderLine = 2000;  // characters of a value, before it is wrapped
constexpr std::uint64_t kFewestCompared = 20;    // samples of the smaller of two rows
constexpr std::uint64_t kMostTimes =
    100;  // as many samples: nobody records a hundred times as long

// ", 1,508 taken": samples in a second of a clock that has run, if they are not as many as were
// asked for.
std::string taken_rate(const SampledEvent& event, const NumberStyle& style) {
  constexpr double kAsAsked = 0.01;  // difference, as a part of what was asked for
  if (event.interval_ns() <= 0) return {};
  const auto asked = static_cast<double>(event.frequency);
  const double taken = 1e9 / event.interval_ns();
  if (std::abs(taken - asked) <= kAsAsked * asked) return {};
  return fmt::format(", {} taken", whole(static_cast<std::uint64_t>(std::llround(taken)), style));
}

// "512.5 ms", "73 to 426 events", "120 events (counted)", "about 60 of 120 events (counted)"
std::string amount(const SampledEvent& event, const NumberStyle& style) {
  const auto number = [&](std::uint64_t count) {
    return event.clock ? fixed(static_cast<double>(count) / 1e6, 1, style) : whole(count, style);
  };
  const auto text = [&](std::uint64_t count) {
    return event.clock ? number(count) + " ms" : plural(count, "event", style);
  };
  const std::uint64_t occurred = event.occurred(event.count);
  if (event.not_ended > 0)
    return fmt::format("{} to {}", number(occurred - event.not_ended), text(occurred));
  if (!event.counted) return text(occurred);
  if (occurred == *event.counted) return text(occurred) + " (counted)";
  return fmt::format("about {} of {} (counted)", number(occurred), text(*event.counted));
}

std::string event_line(const SampledEvent& event, const std::vector<SampledEvent>& events,
                       const NumberStyle& style) {
  if (!event.is_sampled())
    return printable(event.name) +
           ": not sampled itself; its counts in the samples of other events are not read";
  std::string how;
  if (event.period == 1) how = ", one each time";
  if (event.period > 1) how = fmt::format(", one every {}", whole(event.period, style));
  if (event.frequency > 0)
    how = fmt::format(", {} a second asked for{}", whole(event.frequency, style),
                      taken_rate(event, style));
  std::vector<std::string> parts;
  for (const std::size_t part : event.parts) parts.push_back(printable(events[part].name));
  return fmt::format(
      "{}: {}{}, standing for {}{}", printable(event.name),
      plural(event.count.samples, "sample", style), how, amount(event, style),
      parts.empty() ? "" : fmt::format("; the sum of {}", fmt::join(parts, " and ")));
}

std::string header(const ProfileSummary& summary, const NumberStyle& style) {
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    if (!value.empty())
      text += paragraph(fmt::format(" {:<9} ", what), printable(value, kWidestHeaderLine));
  };
  line("command", shell_line(summary.command));
  line("target", summary.target.attached);
  std::string machine = summary.host;
  for (const std::string& more : {summary.cpu, summary.kernel})
    if (!more.empty()) machine += (machine.empty() ? "" : ", ") + more;
  line("machine", machine);
  if (summary.pieces > 1)
    line("files", fmt::format("{} files are read as pieces of one recording", summary.pieces));
  if (summary.seconds)
    line("time",
         fmt::format("{} from the first sample to the last", seconds(*summary.seconds, style)));
  for (const SampledEvent& event : summary.events)
    if (!event.dummy || event.count.samples > 0)
      line("event", event_line(event, summary.events, style));
  line("shares", basis_words(summary.events, summary.event, summary.chosen));
  if (summary.has_waits) line("waits", "recorded, too: --wall and --off-cpu show them");
  if (summary.overhead)
    line("overhead", fmt::format("{} µs a sample, measured after the run: {} of {} ms of CPU time",
                                 fixed(*summary.sample_cost_ns / 1e3, 1, style),
                                 percentage(*summary.overhead, style),
                                 fixed(static_cast<double>(*summary.cpu_time_ns) / 1e6, 1, style)));
  if (summary.lost > 0) line("lost", plural(summary.lost, "record", style));
  return text + '\n';
}

Cells titles(const ProfileSummary& summary) {
  Cells cells{"samples", printable(summary.events[summary.event].name, 24), "share",
              "95 % of this run"};
  if (summary.has_chains) cells.insert(cells.end(), {"total", "95 %"});
  const std::vector<RowMetric> metrics =
      summary.rows.empty() ? std::vector<RowMetric>() : summary.rows.front().metrics;
  OtherColumns{summary.events, summary.event, metrics}.add_titles(cells);
  if (is_by_owner(summary.sort)) {
    std::ranges::move(owner_titles(summary.sort), std::back_inserter(cells));
    return cells;
  }
  cells.emplace_back("module");
  if (summary.sort != SortBy::module) cells.emplace_back("function");
  if (summary.sort >= SortBy::line) cells.emplace_back("line");
  if (summary.sort == SortBy::instruction) cells.emplace_back("address");
  return cells;
}

// The columns of counts of the first rows, by event.
std::vector<CountColumn> count_columns(const ProfileSummary& summary, std::size_t shown) {
  std::vector<CountColumn> columns;
  for (std::size_t event = 0; event < summary.events.size(); ++event) {
    CountColumn& column = columns.emplace_back(summary.events[event]);
    for (std::size_t i = 0; i < shown; ++i)
      column.note(summary.rows[i].counts[event], summary.rows[i].counts95[event]);
  }
  return columns;
}

Cells cells_of(const ProfileRow& row, const ProfileSummary& summary,
               std::span<const CountColumn> columns, const TextStyle& style) {
  const NumberStyle& numbers = style.numbers;
  const std::size_t event = summary.event;
  Cells cells{whole(row.counts[event].samples, numbers),
              columns[event].cell(row.counts[event], row.counts95[event], numbers),
              percent(row.share, numbers), range(row.ci95, numbers)};
  if (row.total) {
    cells.push_back((row.total_is_at_least ? "≥ " : "") + percent(*row.total, numbers));
    cells.push_back(range(row.total_ci95, numbers));
  }
  OtherColumns{summary.events, summary.event, row.metrics, columns}.add(cells, row.counts,
                                                                        row.counts95, numbers);
  if (is_by_owner(summary.sort)) {
    std::ranges::move(owner_cells(row, summary.sort), std::back_inserter(cells));
    return cells;
  }
  cells.push_back(name_cell(row.module));
  if (summary.sort != SortBy::module)
    cells.push_back(name_cell(row.function) +
                    (row.start ? fmt::format(" at {:#x}", *row.start) : ""));
  if (summary.sort >= SortBy::line) cells.push_back(name_cell(location(row)));
  if (row.address) cells.push_back(fmt::format("0x{:x}", *row.address));
  return cells;
}

std::string why_not_apart(const Comparison& rows, std::uint64_t samples, const NumberStyle& style) {
  if (rows.hidden) return "what could not be sampled may reverse it";
  if (!rows.missing) return "their shares are equal so far";
  if (*rows.missing / kMostTimes > samples)
    return fmt::format("their shares are so alike that {} times as many samples would not show it",
                       kMostTimes);
  return fmt::format("about {} more would show it, with 80 % probability",
                     plural(*rows.missing, "sample", style));
}

// Rows of which each does not differ significantly from the next.
struct OpenRows {
  std::size_t first = 0, last = 0;
};

// "rows 1 and 2", "rows 1 to 3"
std::string words(const OpenRows& rows) {
  return fmt::format("rows {} {} {}", rows.first + 1, rows.last > rows.first + 1 ? "to" : "and",
                     rows.last + 1);
}

// One sentence about all comparisons that found no difference. The reason is that of the first one.
std::string open_order(std::span<const Comparison* const> open, std::uint64_t samples,
                       const NumberStyle& style) {
  std::vector<OpenRows> groups;
  for (const Comparison* each : open) {
    if (groups.empty() || groups.back().last != each->row) groups.push_back({each->row, each->row});
    groups.back().last = each->row + 1;
  }
  std::vector<std::string> names;
  for (const OpenRows& each : groups) names.push_back(words(each));
  const Comparison& first = *open.front();
  const std::string of_first =
      open.size() == 1 ? "" : fmt::format("of rows {} and {}, ", first.row + 1, first.row + 2);
  return paragraph(
      " ", fmt::format("The order of {} is not significant: {}{}.", fmt::join(names, ", and of "),
                       of_first, why_not_apart(first, samples, style)));
}

// Whether the order of the first shown rows is significant. Rows with few samples get no advice:
// nobody waits for the samples that would tell them apart.
std::string comparisons(const ProfileSummary& summary, std::size_t shown,
                        const NumberStyle& style) {
  if (summary.exact) return " Each event was a sample: the shares and their order are exact.\n";
  std::vector<const Comparison*> open;
  std::size_t compared = 0;
  for (const Comparison& each : summary.comparisons) {
    if (each.row + 1 >= shown) break;
    const ProfileRow& smaller = summary.rows[each.row + 1];
    const bool few = smaller.counts[summary.event].samples < kFewestCompared;
    if (few && !each.apart) break;
    ++compared;
    if (!each.apart) open.push_back(&each);
  }
  if (!open.empty()) return open_order(open, summary.events[summary.event].count.samples, style);
  if (compared == 0) return {};
  if (compared == 1) return " Row 1 is larger than row 2 at 95 % confidence.\n";
  return fmt::format(" Each of the first {} rows is larger than the next at 95 % confidence.\n",
                     compared);
}

}  // namespace

std::string profile_text(const ProfileSummary& summary, std::size_t limit, const TextStyle& style) {
  const std::size_t shown = limit == 0 ? summary.rows.size() : std::min(limit, summary.rows.size());
  const Cells head = titles(summary);
  std::vector<Cells> table{head};
  const std::vector<CountColumn> columns = count_columns(summary, shown);
  double rest = 0;
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    if (i < shown)
      table.push_back(cells_of(summary.rows[i], summary, columns, style));
    else
      rest += summary.rows[i].share;
  }
  const auto words =
      std::ranges::find_if(head,
                           [](const std::string& title) {
                             return title == "module" || title == "command" || title == "cpu";
                           }) -
      head.begin();
  std::string sides = std::string(static_cast<std::size_t>(words), '>') +
                      std::string(head.size() - static_cast<std::size_t>(words), 'n');
  // The share says what the samples and the events say.
  std::vector<std::vector<std::string_view>> least_needed{{head[1]}, {head[0]}};
  if (summary.sort == SortBy::instruction) least_needed.push_back({"line"});
  if (summary.sort != SortBy::module) least_needed.push_back({"module"});
  least_needed.push_back({"total", "95 %"});
  const auto left_out = leave_columns_out(table, sides, " ", style.width, least_needed);
  const auto heat = [&](std::size_t line) {
    return line == 0 || line > shown ? 0 : summary.rows[line - 1].share;
  };
  std::string text = header(summary, style.numbers) +
                     coloured(aligned(table, sides, " ", style.width), heat, style) +
                     left_out_note(left_out);
  if (shown < summary.rows.size())
    text += fmt::format(" … {} more, with {} of the samples (--limit 0 shows all)\n",
                        plural(summary.rows.size() - shown, "row", style.numbers),
                        percent(rest, style.numbers));
  for (const std::string& hint : hidden_rows(summary, shown)) text += paragraph(" ", hint);
  if (const std::string order = comparisons(summary, shown, style.numbers); !order.empty())
    text += '\n' + order;
  return text;
}

std::string call_view_text(const CallView& view, const TextStyle& style) {
  const NumberStyle& numbers = style.numbers;
  std::string text = paragraph(
      " ", fmt::format("{} of {} in {}: {}{} have it in their call chains",
                       view.side == CallSide::callers ? "Callers" : "Callees",
                       printable(view.function), printable(view.module),
                       view.has_lengths ? "samples of " + count_cell(view.total, true, numbers)
                                        : plural(view.total.samples, "sample", numbers),
                       view.chosen ? " of " + printable(view.chosen->words, 1000) : ""));
  std::vector<Cells> table{
      {view.has_lengths ? "time" : "samples", "share", "95 %", "module", "function"}};
  for (const CallShare& row : view.rows) {
    std::string_view none = view.side == CallSide::callers ? "[outermost]" : "[itself]";
    if (row.cut) none = "[cut]";
    const bool is_call = !row.module.empty();
    table.push_back({count_cell(row.count, view.has_lengths, numbers), percent(row.share, numbers),
                     range(row.ci95, numbers), is_call ? name_cell(row.module) : "",
                     is_call ? name_cell(row.function) : std::string(none)});
  }
  const auto heat = [&](std::size_t line) {
    return line == 0 || line > view.rows.size() ? 0 : view.rows[line - 1].share;
  };
  return text + '\n' + coloured(aligned(table, ">>>nn", " ", style.width), heat, style);
}

}  // namespace tacho
