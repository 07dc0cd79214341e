#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/number.hpp"
#include "base/shell_line.hpp"
#include "base/text_layout.hpp"
#include "report/figure.hpp"
#include "wall/report/thread_order.hpp"
#include "wall/report/wall_report.hpp"

namespace tacho {
namespace {

constexpr std::size_t kWidestHeaderLine = 2000;  // characters of a value, before it is wrapped
constexpr std::size_t kShownFunctions = 8;    // of a place: the innermost ones, if rows are limited
constexpr std::size_t kChainRoom = 35;        // columns that a call chain needs beside its row
constexpr std::size_t kAnyWidth = 1'000'000;  // columns

class WallText {
 public:
  WallText(const WallSummary& summary, std::size_t limit, const TextStyle& style)
      : summary_(summary),
        limit_(limit),
        style_(style),
        numbers_(style.numbers),
        has_estimates_(std::ranges::any_of(
            summary.reasons, [](const WaitByReason& each) { return each.sum.is_estimate(); })) {}

  std::string operator()() {
    header();
    kinds();
    path();
    places();
    wake_ups();
    functions();
    threads();
    return std::move(text_);
  }

 private:
  std::string time(double ns) const { return seconds(ns / 1e9, numbers_); }
  std::string time(std::uint64_t ns) const { return time(static_cast<double>(ns)); }
  std::string share(std::uint64_t ns) const {
    const std::uint64_t all = summary_.all.life_ns();
    return all == 0 ? "-" : percent(static_cast<double>(ns) / static_cast<double>(all), numbers_);
  }

  // The first cells of a row of times off the CPU. "~" is an estimate.
  Cells sum_cells(const WaitSum& sum) const { return sum_cells(sum, summary_.all.life_ns()); }
  Cells sum_cells(const WaitSum& sum, std::uint64_t of_ns) const {
    const std::string mark = sum.is_estimate() ? "~" : "";
    const auto all = static_cast<double>(of_ns);
    Cells cells{mark + time(sum.total_ns),
                of_ns == 0 ? "-" : percent(sum.total_ns / all, numbers_)};
    const auto part = [&](double ns) { return fixed(100 * ns / all, 1, numbers_); };
    if (has_estimates_)
      cells.push_back(
          sum.is_estimate() ? fmt::format("{}…{} %", part(sum.low_ns), part(sum.high_ns)) : "");
    cells.push_back(mark + whole(static_cast<std::uint64_t>(sum.times), numbers_));
    // One that was not sampled may be longer.
    cells.push_back((sum.is_estimate() ? "≥" : "") + time(sum.longest_ns));
    return cells;
  }
  Cells sum_titles() const {
    Cells cells{"time", "share"};
    if (has_estimates_) cells.emplace_back("95 %");
    cells.insert(cells.end(), {"times", "longest"});
    return cells;
  }

  void header() {
    const auto line = [&](std::string_view what, const std::string& value) {
      if (!value.empty())
        text_ += paragraph(fmt::format(" {:<9} ", what), printable(value, kWidestHeaderLine));
    };
    line("command", shell_line(summary_.command));
    line("target", summary_.target.attached);
    if (summary_.chosen) line("chosen", summary_.chosen->words);
    line("time", fmt::format("{}, {}, which lived for {} together", time(summary_.span_ns),
                             plural(summary_.threads.size(), "thread", numbers_),
                             time(summary_.all.life_ns())));
    line("at once", at_once());
    if (!summary_.tells_wakes)
      line("wake-ups",
           fmt::format("not {}: waits last until the thread has a CPU, and the critical path is "
                       "not known. {}",
                       summary_.has_unread_wakes ? "read" : "recorded",
                       summary_.has_unread_wakes
                           ? "The recording was cut short before their fields were described"
                           : "They need tracefs and permission (root)"));
    else if (!summary_.tells_others_wakes)
      line(
          "wake-ups",
          "by recorded threads alone: a wait that a timer, a device or another process ended lasts "
          "until the thread has a CPU. 'record -a' records all wake-ups");
    if (summary_.has_running_samples)
      line("samples", fmt::format("{} of the running time; all other times are counted{}",
                                  whole(summary_.running_samples, numbers_),
                                  has_estimates_ ? ", but for those with ~ and of functions" : ""));
  }

  // "no thread ran for 12.0 %, 1 for 80.1 %, 2 for 7.9 %"
  std::string at_once() const {
    constexpr std::size_t kMostLevels = 8;
    std::vector<std::string> parts;
    std::uint64_t rest = 0;
    std::uint64_t all = 0;
    for (const std::uint64_t ns : summary_.time_at) all += ns;
    const auto part = [&](std::uint64_t ns) {
      return percent(static_cast<double>(ns) / static_cast<double>(all), numbers_);
    };
    for (std::size_t n = 0; n < summary_.time_at.size(); ++n) {
      if (n >= kMostLevels) {
        rest += summary_.time_at[n];
        continue;
      }
      if (summary_.time_at[n] == 0) continue;
      if (parts.empty())
        parts.push_back(fmt::format("{} ran for {}",
                                    n == 0 ? "no thread" : plural(n, "thread", numbers_),
                                    part(summary_.time_at[n])));
      else
        parts.push_back(fmt::format("{} for {}", n, part(summary_.time_at[n])));
    }
    if (rest > 0) parts.push_back(fmt::format("more for {}", part(rest)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  void title(std::string_view words) { text_ += fmt::format("\n {}\n", words); }

  void kinds() {
    title("What the threads did");
    std::vector<Cells> table{sum_titles()};
    const std::size_t figures = table.front().size();
    std::string late;
    table.front().emplace_back("what");
    const auto known = [&](std::uint64_t ns, std::string what) {
      Cells cells{time(ns), share(ns)};
      cells.resize(figures);
      cells.push_back(std::move(what));
      table.push_back(std::move(cells));
    };
    known(summary_.all.running_ns, "running");
    for (const WaitByReason& each : summary_.reasons) {
      if (each.sum.times == 0) continue;  // it is of threads or times that were not chosen
      table.push_back(sum_cells(each.sum));
      table.back().push_back(fmt::format("{} {}: {}", each.ready ? "ready," : "waiting for",
                                         each.reason.name, each.reason.words));
    }
    if (const auto& woken = summary_.woken_within)
      late =
          fmt::format(" The waiting includes about {} ({} to {}) after wake-ups, without a CPU\n",
                      time(woken->total_ns), time(woken->low_ns), time(woken->high_ns));
    if (summary_.all.unknown_ns > 0) known(summary_.all.unknown_ns, "not known: records were lost");
    text_ += aligned(table, std::string(figures, '>') + 'w', " ", style_.width) + late;
  }

  std::size_t shown(std::size_t rows) const { return limit_ == 0 ? rows : std::min(limit_, rows); }
  void left_out(std::size_t rows, std::string_view what) {
    if (shown(rows) < rows)
      text_ += fmt::format(" … {} more (--limit 0 shows all)\n",
                           plural(rows - shown(rows), what, numbers_));
  }

  // "clock_nanosleep ← worker ← main"
  std::string where(const std::vector<std::string>& functions, bool cut = false) const {
    if (functions.empty()) return "not recorded";
    std::vector<std::string> names;
    for (const std::string& name : functions) {
      if (names.size() == kShownFunctions && limit_ != 0) {
        names.emplace_back("…");
        break;
      }
      names.push_back(printable(name));
    }
    if (cut) names.emplace_back("[cut]");
    return fmt::format("{}", fmt::join(names, " ← "));
  }

  const WaitByReason& reason(const WaitPlace& place) const {
    return summary_.reasons[place.reason];
  }

  void places() {
    // Those of threads or times that were not chosen have no sum, and come last.
    const auto of_chosen =
        std::ranges::find(summary_.places, 0, [](const WaitPlace& each) { return each.sum.times; });
    const auto count = static_cast<std::size_t>(of_chosen - summary_.places.begin());
    if (count == 0) return;
    title("Where they waited: functions, from the innermost to its callers");
    std::vector<Cells> table{sum_titles()};
    table.front().insert(table.front().begin(), "#");
    table.front().insert(table.front().end(), {"for", "where"});
    std::vector<std::string> chains;
    for (std::size_t i = 0; i < shown(count); ++i) {
      const WaitPlace& place = summary_.places[i];
      table.push_back(sum_cells(place.sum));
      table.back().insert(table.back().begin(), std::to_string(i + 1));
      table.back().push_back(reason(place).reason.name);
      chains.push_back(where(place.functions, place.cut));
    }
    add_with_chains(std::move(table), std::string(sum_titles().size() + 1, '>') + "<", chains);
    left_out(count, "place");
  }

  // Each row but the first ends with its call chain, or has it below if the row leaves little room.
  void add_with_chains(std::vector<Cells> table, std::string sides,
                       const std::vector<std::string>& chains) {
    for (Cells& row : table | std::views::drop(1)) row.emplace_back("|");  // where it begins
    const std::string rows = aligned(table, sides += '<', " ");
    std::size_t i = 0;
    for (const auto row : std::views::split(rows, '\n')) {
      const std::string_view line(row.begin(), row.end());
      if (line.empty()) continue;
      const std::size_t width = style_.width == 0 ? kAnyWidth : style_.width;
      const std::string_view row_alone = line.substr(0, line.size() - 1);
      if (i == 0) {
        text_ += fmt::format("{}\n", line);
      } else if (display_width(row_alone) + kChainRoom <= width) {
        text_ += paragraph(row_alone, chains[i - 1], width);
      } else {
        text_ += fmt::format("{}\n", row_alone.substr(0, row_alone.find_last_not_of(' ') + 1));
        text_ += paragraph("     ", chains[i - 1], width);
      }
      ++i;
    }
  }

  // "make[1234]", as perf writes it; "cc1 (12 threads)".
  std::string name_of(const ThreadGroup& threads) const {
    if (threads.tids.empty()) return "";
    const std::string name = threads.name.empty() ? "(no name)" : printable(threads.name);
    if (threads.tids.size() == 1) return fmt::format("{}[{}]", name, *threads.tids.begin());
    return fmt::format("{} ({})", name, plural(threads.tids.size(), "thread", numbers_));
  }

  // "2" for the second row of the places. Those of threads that were not chosen have no row.
  std::string number_of(std::optional<std::size_t> place) const {
    return place && summary_.places[*place].sum.times > 0 ? std::to_string(*place + 1) : "-";
  }

  void wake_ups() {
    if (summary_.wake_ups.empty()) return;
    title("What ended these waits (#)");
    std::vector<Cells> table{sum_titles()};
    table.front().insert(table.front().begin(), "#");
    table.front().insert(table.front().end(), {"thread", "where"});
    std::vector<std::string> chains;
    for (std::size_t i = 0; i < shown(summary_.wake_ups.size()); ++i) {
      const WakeUps& row = summary_.wake_ups[i];
      table.push_back(sum_cells(row.waited));
      table.back().insert(table.back().begin(), number_of(row.place));
      table.back().push_back(row.wakers.tids.empty() ? "interrupt"
                             : row.in_interrupt      ? "interrupt in " + name_of(row.wakers)
                                                     : name_of(row.wakers));
      chains.push_back(row.by_end == WakeUps::End::recorded   ? "its end"
                       : row.by_end == WakeUps::End::inferred ? "its end (inferred)"
                                                              : where(row.functions));
    }
    add_with_chains(std::move(table), std::string(sum_titles().size() + 1, '>') + "<", chains);
    left_out(summary_.wake_ups.size(), "row");
  }

  void path() {
    if (!summary_.path) return;
    title(fmt::format("The critical path of {}: what the end waited for, from thread to thread",
                      time(summary_.path->total_ns)));
    std::vector<Cells> table{sum_titles()};
    const std::size_t figures = table.front().size();
    table.front().insert(table.front().end(), {"thread", "what", "#"});
    const CriticalPath& path = *summary_.path;
    for (std::size_t i = 0; i < shown(path.parts.size()); ++i) {
      const PathPart& part = path.parts[i];
      table.push_back(sum_cells(part.sum, path.total_ns));
      table.back().insert(table.back().end(), {name_of(part.threads), what(part),
                                               part.place ? number_of(part.place) : ""});
    }
    std::string sides = std::string(figures, '>') + "<<<";
    const auto left =
        leave_columns_out(table, sides, " ", style_.width, {{"longest"}, {"times"}, {"share"}});
    text_ += aligned(table, sides, " ", style_.width) + left_out_note(left);
    left_out(path.parts.size(), "row");
    if (!path.is_certain)
      text_ += paragraph(" ", "Not each wake-up was recorded, so the path may be another one");
    if (!summary_.target.attached.empty())
      text_ += paragraph(" ", "It ends with the recording: the programs may go on");
    if (path.outside_ns > 0)
      text_ += paragraph(
          " ",
          fmt::format("{} of it are waits that no recorded thread ended: devices, timers, other "
                      "processes, or they were not over{}",
                      time(path.outside_ns),
                      summary_.woken_within ? ", and wake-ups that were not sampled" : ""));
  }

  std::string what(const PathPart& part) const {
    if (part.state == ThreadState::running) return "running";
    if (part.state == ThreadState::ready) return "ready";
    if (part.state == ThreadState::unknown) return "not known: records were lost";
    if (!part.place) return "waiting for unknown";
    return fmt::format("waiting for {}", reason(summary_.places[*part.place]).reason.name);
  }

  void functions() {
    if (summary_.functions.empty()) return;
    title("Functions, each with what it called");
    const bool sampled = summary_.has_running_samples;
    const bool knows_path = summary_.path && summary_.path->is_certain;
    const std::string mark = has_estimates_ ? "~" : "";
    std::vector<Cells> table{{"wall"}};
    const auto add_cells = [&](const Cells& cells) {
      table.back().insert(table.back().end(), cells.begin(), cells.end());
    };
    if (sampled) add_cells({"running", "95 %", "alone", "path"});
    add_cells({"ready", "waiting", "mostly for", "function"});
    for (std::size_t i = 0; i < shown(summary_.functions.size()); ++i) {
      const WallFunction& row = summary_.functions[i];
      table.push_back({time(row.wall_ns())});
      if (sampled)
        add_cells({time(row.running_ns),
                   fmt::format("{}…{}", fixed(row.low_ns / 1e9, 3, numbers_),
                               fixed(row.high_ns / 1e9, 3, numbers_)),
                   time(row.alone_ns), knows_path ? time(row.path_ns) : "-"});
      add_cells(
          {mark + time(row.ready_ns), mark + time(row.waiting_ns),
           row.reason < summary_.reasons.size() ? summary_.reasons[row.reason].reason.name : "",
           printable(row.name)});
    }
    std::string sides = std::string(table.front().size() - 2, '>') + "<n";
    const auto left = leave_columns_out(table, sides, " ", style_.width,
                                        {{"alone"}, {"path"}, {"mostly for"}, {"ready"}, {"95 %"}});
    text_ += aligned(table, sides, " ", style_.width) + left_out_note(left);
    left_out(summary_.functions.size(), "function");
  }

  void threads() {
    if (summary_.threads.empty()) return;
    title(fmt::format("Threads, those that {} longest first",
                      summary_.has_running_samples ? "ran" : "waited"));
    const std::vector<std::size_t> order = thread_order(summary_);
    const bool has_unknown = summary_.all.unknown_ns > 0;
    Cells titles{"tid", "life", "running", "ready", "waiting"};
    if (has_unknown) titles.emplace_back("unknown");
    const std::size_t figures = titles.size();
    titles.insert(titles.end(), {"name", "longest waits, when, and where (#)"});
    std::vector<Cells> table{titles};
    for (std::size_t i = 0; i < shown(order.size()); ++i) {
      const WallThread& thread = summary_.threads[order[i]];
      const ThreadTimes& times = thread.times;
      Cells cells{std::to_string(times.tid), time(times.life_ns()), time(times.running_ns),
                  time(times.ready_ns), time(times.waiting_ns)};
      if (has_unknown) cells.push_back(time(times.unknown_ns));
      cells.insert(cells.end(), {printable(thread.name), ""});
      table.push_back(cells);
      for (const LongWait& wait : thread.longest) {
        if (&wait != &thread.longest.front()) table.emplace_back(cells.size());
        table.back().back() = fmt::format("{} at {} ({})", time(wait.length_ns),
                                          time(wait.begin_ns), number_of(wait.place));
      }
    }
    std::string sides = std::string(figures, '>') + "<<";
    const auto left =
        leave_columns_out(table, sides, " ", style_.width, {{"life"}, {"ready"}, {"running"}});
    text_ += aligned(table, sides, " ", style_.width) + left_out_note(left);
    left_out(order.size(), "thread");
  }

  const WallSummary& summary_;
  std::size_t limit_;
  const TextStyle& style_;
  const NumberStyle& numbers_;
  bool has_estimates_;  // not each switch was sampled
  std::string text_;
};

}  // namespace

std::string wall_text(const WallSummary& summary, std::size_t limit, const TextStyle& style) {
  return WallText(summary, limit, style)();
}

}  // namespace tacho
