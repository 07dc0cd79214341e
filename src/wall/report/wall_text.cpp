#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/shell_line.hpp"
#include "base/text_layout.hpp"
#include "report/figure.hpp"
#include "wall/report/wall_report.hpp"

namespace tacho {
namespace {

constexpr std::size_t kWidestHeaderLine = 2000;  // characters of a value, before it is wrapped
constexpr std::size_t kShownFunctions = 8;       // of a place: the innermost ones
constexpr std::size_t kAnyWidth = 1'000'000;     // columns

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
    places();
    functions();
    threads();
    return std::move(text_);
  }

 private:
  std::string time(double ns) const { return seconds(ns / 1e9, numbers_); }
  std::string time(std::uint64_t ns) const { return time(static_cast<double>(ns)); }
  std::string share(double ns) const {
    const std::uint64_t all = summary_.all.life_ns();
    return all == 0 ? "-" : percent(ns / static_cast<double>(all), numbers_);
  }
  std::string share(std::uint64_t ns) const { return share(static_cast<double>(ns)); }

  // The first cells of a row of times off the CPU. "~" is an estimate.
  Cells sum_cells(const WaitSum& sum) const {
    const std::string mark = sum.is_estimate() ? "~" : "";
    Cells cells{mark + time(sum.total_ns), share(sum.total_ns)};
    if (has_estimates_)
      cells.push_back(
          sum.is_estimate() ? fmt::format("{}…{} %", part(sum.low_ns), part(sum.high_ns)) : "");
    cells.push_back(mark + whole(static_cast<std::uint64_t>(sum.times), numbers_));
    cells.push_back(time(sum.longest_ns));
    return cells;
  }
  std::string part(double ns) const {
    return fixed(100 * ns / static_cast<double>(summary_.all.life_ns()), 1, numbers_);
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
    line("time", fmt::format("{}, {}, which lived for {} together", time(summary_.span_ns),
                             plural(summary_.threads.size(), "thread", numbers_),
                             time(summary_.all.life_ns())));
    line("at once", at_once());
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
    table.front().emplace_back("what");
    const auto known = [&](std::uint64_t ns, std::string what) {
      Cells cells{time(ns), share(ns)};
      cells.resize(figures);
      cells.push_back(std::move(what));
      table.push_back(std::move(cells));
    };
    known(summary_.all.running_ns, "running");
    for (const WaitByReason& each : summary_.reasons) {
      table.push_back(sum_cells(each.sum));
      table.back().push_back(fmt::format("{} {}: {}", each.ready ? "ready," : "waiting for",
                                         each.reason.name, each.reason.words));
    }
    if (summary_.all.unknown_ns > 0) known(summary_.all.unknown_ns, "not known: records were lost");
    text_ += aligned(table, std::string(figures, '>') + 'w', " ", style_.width);
  }

  template <class Rows>
  std::size_t shown(const Rows& rows) const {
    return limit_ == 0 ? rows.size() : std::min(limit_, rows.size());
  }
  template <class Rows>
  void left_out(const Rows& rows, std::string_view what) {
    if (shown(rows) < rows.size())
      text_ += fmt::format(" … {} more (--limit 0 shows all)\n",
                           plural(rows.size() - shown(rows), what, numbers_));
  }

  // "clock_nanosleep ← worker ← main"
  std::string where(const WaitPlace& place) const {
    if (place.functions.empty()) return "not recorded";
    std::vector<std::string> names;
    for (const std::string& name : place.functions) {
      if (names.size() == kShownFunctions) {
        names.emplace_back("…");
        break;
      }
      names.push_back(printable(name));
    }
    return fmt::format("{}", fmt::join(names, " ← "));
  }

  const WaitByReason& reason(const WaitPlace& place) const {
    return summary_.reasons[place.reason];
  }

  // Each row ends with the call chain, which may take several lines.
  void places() {
    if (summary_.places.empty()) return;
    title("Where they waited: functions, from the innermost to its callers");
    std::vector<Cells> table{sum_titles()};
    std::string sides(table.front().size() + 1, '>');
    table.front().insert(table.front().begin(), "#");
    table.front().insert(table.front().end(), {"for", "where"});
    for (std::size_t i = 0; i < shown(summary_.places); ++i) {
      const WaitPlace& place = summary_.places[i];
      table.push_back(sum_cells(place.sum));
      table.back().insert(table.back().begin(), std::to_string(i + 1));
      table.back().push_back(reason(place).reason.name);
      table.back().emplace_back("|");  // where the chain begins
    }
    const std::string rows = aligned(table, sides += "<<", " ");
    std::size_t i = 0;
    for (const auto row : std::views::split(rows, '\n')) {
      const std::string_view line(row.begin(), row.end());
      if (line.empty()) continue;
      if (i == 0)
        text_ += fmt::format("{}\n", line);
      else
        text_ += paragraph(line.substr(0, line.size() - 1), where(summary_.places[i - 1]),
                           style_.width == 0 ? kAnyWidth : style_.width);
      ++i;
    }
    left_out(summary_.places, "place");
  }

  void functions() {
    if (summary_.functions.empty()) return;
    title("Functions, each with what it called");
    std::vector<Cells> table{
        {"wall", "running", "95 %", "alone", "ready", "waiting", "mostly for", "function"}};
    std::string sides = ">>>>>><n";
    const bool sampled = summary_.has_running_samples;
    for (std::size_t i = 0; i < shown(summary_.functions); ++i) {
      const WallFunction& row = summary_.functions[i];
      table.push_back(
          {time(row.wall_ns()), sampled ? time(row.running_ns) : "-",
           sampled ? fmt::format("{}…{}", fixed(row.low_ns / 1e9, 3, numbers_),
                                 fixed(row.high_ns / 1e9, 3, numbers_))
                   : "-",
           sampled ? time(row.alone_ns) : "-", time(row.ready_ns), time(row.waiting_ns),
           row.reason < summary_.reasons.size() ? summary_.reasons[row.reason].reason.name : "",
           printable(row.name)});
    }
    const auto left = leave_columns_out(table, sides, " ", style_.width,
                                        {{"alone"}, {"95 %"}, {"ready"}, {"mostly for"}});
    text_ += aligned(table, sides, " ", style_.width) + left_out_note(left);
    left_out(summary_.functions, "function");
  }

  void threads() {
    if (summary_.threads.empty()) return;
    title("Threads, those that ran longest first");
    std::vector<std::size_t> order(summary_.threads.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t i) { return summary_.threads[i].times.running_ns; });
    std::vector<Cells> table{{"tid", "life", "running", "ready", "waiting", "name",
                              "longest waits, when, and where (#)"}};
    for (std::size_t i = 0; i < shown(order); ++i) {
      const WallThread& thread = summary_.threads[order[i]];
      const ThreadTimes& times = thread.times;
      bool first = true;
      Cells cells{std::to_string(times.tid),
                  time(times.life_ns()),
                  time(times.running_ns),
                  time(times.ready_ns),
                  time(times.waiting_ns),
                  printable(thread.name),
                  ""};
      for (const LongWait& wait : thread.longest) {
        if (!first) cells.assign(6, "");
        if (!first) cells.emplace_back();
        cells.back() =
            fmt::format("{} at {} ({})", time(wait.length_ns), time(wait.begin_ns), wait.place + 1);
        table.push_back(cells);
        first = false;
      }
      if (first) table.push_back(cells);
    }
    std::string sides = ">>>>><<";
    const auto left =
        leave_columns_out(table, sides, " ", style_.width, {{"life"}, {"ready"}, {"running"}});
    text_ += aligned(table, sides, " ", style_.width) + left_out_note(left);
    left_out(order, "thread");
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
