#include "stat/rpistat_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <istream>
#include <limits>
#include <optional>

#include "base/number.hpp"
#include "base/parse_number.hpp"
#include "base/text_layout.hpp"
#include "report/gnuplot.hpp"

namespace tacho {
namespace {

constexpr double kPer = 1000;  // cycles
constexpr std::size_t kMostColumns = 64;

// A row that can be drawn, and its column in the data, from 1.
struct PlottedRow {
  std::string name;
  int column = 0;
};

bool is_counted(const CountedEvent& event) {
  return event.duty == Duty::always || event.duty == Duty::turned;
}

// The rows of each set that were counted. Sets without any are left out.
std::vector<std::vector<PlottedRow>> panels(const RowReport& report, const Measurement& m) {
  const std::vector<CountedEvent> rows = events_of_rows(report, m);
  std::vector<std::vector<PlottedRow>> found;
  if (rows.empty() || !is_counted(rows.front())) return found;
  std::size_t row = 1;
  for (const ReportSet& set : report.layout.sets) {
    std::vector<PlottedRow> curves;
    for (const std::string& name : set.rows) {
      if (row < rows.size() && is_counted(rows[row]))
        curves.push_back({name, kFirstRowColumn + static_cast<int>(row) - 1});
      ++row;
    }
    if (!curves.empty()) found.push_back(std::move(curves));
  }
  return found;
}

std::unexpected<Error> nothing_to_draw() {
  return failure(
      "nothing to plot: events are drawn over cycles, and one of the two was not counted",
      "rpistat --pmu simulated:arm1176 counts all of them on a simulated processor");
}

std::string time_label(const Measurement& m) {
  return m.machine.simulated() ? "simulated time (s)" : "time (s)";
}

// The period that a line of the data describes; none if the line is a comment or malformed.
struct DataLine {
  double start_s = 0, duration_s = 0, cycles = 0;
  std::vector<std::optional<double>> counts;  // by column, beginning with kFirstRowColumn
};

std::optional<DataLine> parse(std::string_view text) {
  if (text.starts_with('#')) return std::nullopt;
  std::vector<std::optional<double>> values;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    values.push_back(parse_number<double>(word));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  if (values.size() < kFirstRowColumn || !values[2] || !values[3]) return std::nullopt;
  return DataLine{*values[2],
                  *values[3],
                  values[4].value_or(0),
                  {values.begin() + kFirstRowColumn - 1, values.end()}};
}

template <class Use>
void for_each_line(std::istream& data, Use use) {
  data.clear();
  data.seekg(0);
  for (std::string text; std::getline(data, text);)
    if (const auto line = parse(text)) use(*line);
}

// The rate in a column of the plot; none if nothing was counted there.
struct Bin {
  double count = 0, cycles = 0;
  std::optional<double> rate() const {
    return cycles > 0 ? std::optional(kPer * count / cycles) : std::nullopt;
  }
};

std::string bars(std::span<const Bin> bins, double most) {
  constexpr std::array kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const Bin& bin : bins) {
    const auto rate = bin.rate();
    const double part = rate && most > 0 ? *rate / most : 0;
    const auto height = static_cast<std::size_t>(std::lround(part * (kHeights.size() - 1)));
    text += rate ? kHeights.at(std::min(height, kHeights.size() - 1)) : " ";
  }
  return text;
}

std::string short_number(double value, const NumberStyle& style) {
  return fixed(value, value >= 100 ? 0 : value >= 1 ? 1 : 3, style);
}

}  // namespace

Result<std::string> gnuplot_script(const RowReport& report, const Measurement& m,
                                   std::string_view data, std::string_view picture) {
  const auto all = panels(report, m);
  if (all.empty()) return nothing_to_draw();
  // Each row's periods are selected first, because gnuplot breaks a line at the periods of other
  // sets.
  std::string script = "set datafile missing '-'\n";
  for (const auto& curves : all)
    for (const PlottedRow& curve : curves)
      script += fmt::format(
          "set table $c{0}\nplot {1} using ($3+$4/2):({2:.0f}*${0}/$5) with table if (valid({0}) "
          "&& "
          "$5 > 0)\nunset table\n",
          curve.column, file_in_quotes(data), kPer);
  script += fmt::format(
      "set terminal svg size 900,{} noenhanced background 'white' font 'sans,12'\n"
      "set output {}\n"
      "set multiplot layout {},1 title {}\n"
      "set grid xtics\nset ytics nomirror\nset yrange [0:*]\nset y2range [0:*]\n"
      "set xrange [0:{}]\nset lmargin 12\nset rmargin 12\nset key above left samplen 2\n",
      60 + 190 * all.size(), file_in_quotes(picture), all.size(),
      in_quotes(fmt::format("{}: {} ({})", report.layout.name, printable(m.workload.label, 80),
                            printable(m.machine.pmu_name.empty() ? to_string(m.machine.pmu_kind)
                                                                 : m.machine.pmu_name))),
      m.workload.elapsed_s > 0 ? fmt::format("{:.6f}", m.workload.elapsed_s) : "*");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool two = all[i].size() > 1;
    const std::string unit = fmt::format("'per {:.0f} cycles'", kPer);
    script += fmt::format("set ylabel {} textcolor lt 1\n", unit);
    script += two ? fmt::format("set y2tics\nset y2label {} textcolor lt 2\n", unit)
                  : "unset y2tics\nunset y2label\n";
    if (i + 1 == all.size()) script += fmt::format("set xlabel {}\n", in_quotes(time_label(m)));
    script += "plot ";
    for (std::size_t k = 0; k < all[i].size(); ++k)
      script += fmt::format("{}$c{} axes {} with linespoints lt {} lw 1.5 pt 7 ps 0.2 title {}",
                            k == 0 ? "" : ", ", all[i][k].column, k == 0 ? "x1y1" : "x1y2", k + 1,
                            in_quotes(all[i][k].name + (!two     ? ""
                                                        : k == 0 ? " (left)"
                                                                 : " (right)")));
    script += '\n';
  }
  return script + "unset multiplot\n";
}

Result<std::string> terminal_plot(const RowReport& report, const Measurement& m, std::istream& data,
                                  const NumberStyle& style) {
  std::vector<PlottedRow> curves;
  for (const auto& panel : panels(report, m))
    curves.insert(curves.end(), panel.begin(), panel.end());
  if (curves.empty()) return nothing_to_draw();
  double end = 0, longest = 0;
  for_each_line(data, [&](const DataLine& line) {
    end = std::max(end, line.start_s + line.duration_s);
    longest = std::max(longest, line.duration_s);
  });
  // A column is wide enough for a turn of every set. If a set had no turn in it, it stays blank.
  const double turn = longest * static_cast<double>(std::max<std::size_t>(m.sets, 1));
  const double fitting = turn > 0 ? std::floor(end / turn) : 1;
  const auto width =
      static_cast<std::size_t>(std::clamp(fitting, 1.0, static_cast<double>(kMostColumns)));
  std::vector<std::vector<Bin>> bins(curves.size(), std::vector<Bin>(width));
  for_each_line(data, [&](const DataLine& line) {
    const double middle = line.start_s + line.duration_s / 2;
    const double place = end > 0 ? middle / end * static_cast<double>(width) : 0;
    const auto at = std::min(static_cast<std::size_t>(std::max(place, 0.0)), width - 1);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const auto column = static_cast<std::size_t>(curves[i].column - kFirstRowColumn);
      if (column >= line.counts.size() || !line.counts[column]) continue;
      bins[i][at].count += *line.counts[column];
      bins[i][at].cycles += line.cycles;
    }
  });
  std::size_t widest = 0;
  for (const PlottedRow& curve : curves) widest = std::max(widest, display_width(curve.name));
  std::string text = fmt::format(" Events per {:.0f} cycles; a column is {} s of {}\n", kPer,
                                 fixed(end / static_cast<double>(width), 3, style),
                                 m.machine.simulated() ? "simulated time" : "time");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    double most = 0;
    for (const Bin& bin : bins[i]) most = std::max(most, bin.rate().value_or(0));
    text += fmt::format("  {} |{}| 0 to {}\n", pad_right(curves[i].name, widest),
                        bars(bins[i], most), short_number(most, style));
  }
  const std::string last = fmt::format("{} s", fixed(end, 3, style));
  return text + fmt::format("  {}  0{}\n", pad_right("", widest),
                            pad_left(last, std::max(width + 1, last.size() + 2)));
}

}  // namespace tacho
