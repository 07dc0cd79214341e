// The text of `tacho merge`: a table of all figures, then the outliers, then what lacks.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "merge/report.hpp"
#include "report/absence.hpp"
#include "report/figure.hpp"
#include "stats/outliers.hpp"

namespace tacho {
namespace {

// The names of the files without the directory that all are in.
std::vector<std::string> short_names(const std::vector<StatFile>& files) {
  const auto directory = [](const StatFile& file) {
    return std::filesystem::path(file.path).parent_path();
  };
  const bool one = std::ranges::all_of(
      files, [&](const StatFile& file) { return directory(file) == directory(files.front()); });
  std::vector<std::string> names;
  for (const StatFile& file : files)
    names.push_back(
        printable(one ? std::filesystem::path(file.path).filename().string() : file.path));
  return names;
}

// How one kind of figure is written.
using ValueText = std::string (*)(double value, const std::string& unit, const NumberStyle& style);

std::string event_value(double value, const std::string& unit, const NumberStyle& style) {
  EventSummary event;
  event.unit = unit;
  event.estimate = value;
  const Figure figure = figure_of(event, true, style);
  return figure.value + (figure.unit.empty() ? "" : ' ' + figure.unit);
}

std::string metric_value(double value, const std::string& /*unit*/, const NumberStyle& style) {
  return brief(value, style);
}

std::string run_value(double value, const std::string& unit, const NumberStyle& style) {
  return unit == "s" ? seconds(value, style) : bytes(static_cast<std::uint64_t>(value), style);
}

class Table {
 public:
  Table(const Merged& merged, const NumberStyle& style)
      : merged_(merged), style_(style), names_(short_names(merged.files)) {}

  // `figure` is that of all files; its value may be empty.
  void add(const Figure& figure, const std::string& name, const Spread& spread,
           const std::string& unit, ValueText value_text) {
    if (spread.files == 0) return;
    const auto value = [&](double number) { return value_text(number, unit, style_); };
    const std::string some = spread.files < merged_.files.size()
                                 ? fmt::format(" ({})", plural(spread.files, "file", style_))
                                 : "";
    const std::string unit_text = figure.unit.empty() ? "" : ' ' + figure.unit;
    rows_.push_back({figure.value.empty() ? "-" : figure.value + unit_text, figure.spread,
                     name + some, value(spread.mean), value(spread.minimum.value),
                     names_[spread.minimum.file], value(spread.maximum.value),
                     names_[spread.maximum.file]});
    if (!spread.outliers) return;
    judged_ = true;
    for (const OfFile& each : *spread.outliers)
      outliers_.push_back({value(each.value), name, names_[each.file],
                           fmt::format("the median is {}", value(spread.median))});
  }
  void add_gap() { rows_.push_back({""}); }

  std::string text() const {
    std::vector<Cells> rows = {{"all files", "", "", "mean", "minimum", "in", "maximum", "in"}};
    rows.insert(rows.end(), rows_.begin(), rows_.end());
    return aligned(rows, "><<>><><", "  ");
  }

  std::string outliers_text() const {
    if (!judged_)
      return fmt::format("\n Too few files to find outliers: {} or more are needed\n",
                         kFewestForOutliers);
    if (outliers_.empty()) return "\n No file is an outlier\n";
    return "\n Outliers: unlike the other files (1 figure in 100 of like files is reported)\n" +
           aligned(outliers_, "><<<", "  ");
  }

 private:
  const Merged& merged_;
  const NumberStyle& style_;
  std::vector<std::string> names_;
  std::vector<Cells> rows_;
  std::vector<Cells> outliers_;
  bool judged_ = false;
};

Figure run_figure(const MergedRunFigure& figure, const std::string& unit,
                  const NumberStyle& style) {
  return {figure.sum ? run_value(*figure.sum, unit, style) : "", "", ""};
}

void add_run(Table& table, const Merged& merged, const NumberStyle& style) {
  struct Words {
    std::string_view key;
    const char* name;
    const char* unit;
  };
  constexpr Words kWords[] = {{"elapsed_s", "elapsed", "s"},
                              {"simulated_s", "simulated", "s"},
                              {"user_s", "user", "s"},
                              {"system_s", "system", "s"},
                              {"max_rss_bytes", "maximum resident", "bytes"}};
  for (const MergedRunFigure& figure : merged.run)
    for (const Words& words : kWords)
      if (figure.name == words.key)
        table.add(run_figure(figure, words.unit, style), words.name, figure.spread, words.unit,
                  run_value);
}

std::string title(const Merged& merged, const NumberStyle& style) {
  const StatFile& first = merged.files.front();
  const bool same = std::ranges::all_of(
      merged.files, [&](const StatFile& file) { return file.label == first.label; });
  const std::string left_out =
      merged.left_out.empty() ? "" : fmt::format(" ({} left out)", merged.left_out.size());
  return paragraph(
      " ", fmt::format("{}{} of {}{}: {} events ({})", plural(merged.files.size(), "file", style),
                       left_out, printable(first.label), same ? "" : " and other commands",
                       to_string(first.pmu_kind), printable(first.pmu_name)));
}

std::string paragraphs(std::string_view heading, const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& each : texts) text += paragraph("   - ", printable(each, 2000));
  return text.empty() ? text : fmt::format("\n {}\n{}", heading, text);
}

}  // namespace

std::string to_text(const Merged& merged, const NumberStyle& style) {
  Table table(merged, style);
  std::vector<std::string> absent, left_out;
  for (const MergedEvent& event : merged.events) {
    if (event.spread.files == 0)
      absent.push_back(event.sum.name + ": " + reason_of(event.sum));
    else
      table.add(figure_of(event.sum, false, style), printable(event.sum.name), event.spread,
                event.sum.unit, event_value);
  }
  if (!merged.metrics.empty()) table.add_gap();
  for (const MergedMetric& metric : merged.metrics) {
    const std::string unit = metric.ratio.unit == "%"    ? " (%)"
                             : metric.ratio.unit.empty() ? ""
                                                         : ", " + metric.ratio.unit;
    table.add(figure_of(metric.ratio, style), printable(metric.ratio.name + unit), metric.spread,
              metric.ratio.unit, metric_value);
  }
  table.add_gap();
  add_run(table, merged, style);
  for (const LeftOut& each : merged.left_out) left_out.push_back(each.reason);
  return title(merged, style) + '\n' + table.text() + table.outliers_text() +
         paragraphs("Left out", left_out) + paragraphs("Not available in any file", absent) +
         paragraphs("Warnings", merged.warnings);
}

}  // namespace tacho
