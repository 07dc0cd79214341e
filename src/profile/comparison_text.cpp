// Comparisons of profiles as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/shell_line.hpp"
#include "base/text_layout.hpp"
#include "profile/comparison_report.hpp"
#include "profile/table_cells.hpp"
#include "report/figure.hpp"
#include "stats/paired_changes.hpp"

namespace tacho {
namespace {

constexpr std::size_t kRowsWithMetrics = 5;
constexpr NoClaim kNoClaim{"report", "",
                           "So no change has an interval, and none is called significant."};

// Whether changes have intervals.
bool is_tested(const ProfileComparisonReport& report) {
  return report.comparison.tests > 0;
}

// Clocks are shown in milliseconds, other events as counts.
class Amounts {
 public:
  Amounts(const SampledEvent& event, const NumberStyle& style)
      : is_time_(event.clock), style_(style) {}

  std::string_view unit() const { return is_time_ ? " ms" : ""; }
  std::string_view unit_in_prose() const { return is_time_ ? " ms" : " events"; }
  std::string text(double count) const {
    return is_time_ ? fixed(count / 1e6, 1, style_) : fixed(count, 0, style_);
  }
  std::string change(double count) const {
    std::string size = text(std::abs(count));
    if (size == text(0)) return size;
    return (count > 0 ? "+" : "-") + size;
  }

 private:
  bool is_time_;
  const NumberStyle& style_;
};

// The module; both modules if they differ.
std::string modules(const RowChange& change) {
  const std::string& now = change.row().module;
  if (change.row_before == nullptr || change.row_before->module == now) return now;
  return fmt::format("{} → {}", change.row_before->module, now);
}

std::string side_line(std::string_view what, const ComparedSide& side, const SideFigures& all,
                      const Amounts& amounts, const NumberStyle& style) {
  const std::size_t recordings = side.files.size();
  std::string name = side.files.front();
  if (recordings > 1)
    name =
        fmt::format("{}, {} … {}", plural(recordings, "recording", style), name, side.files.back());
  return paragraph(fmt::format(" {:<9} ", what),
                   printable(fmt::format("{}: {}; {} of {}, standing for {}{}{}", name,
                                         shell_line(side.recordings.front().command),
                                         plural(all.samples, "sample", style), side.event().name,
                                         amounts.text(all.count.value), amounts.unit_in_prose(),
                                         recordings > 1 ? " a recording" : ""),
                             2000));
}

// A table of the metrics of the first rows. Each interval is of its side alone.
std::string metrics_text(const ProfileComparisonReport& report, std::size_t shown,
                         const TextStyle& style) {
  std::vector<Cells> table{{"metric", "before", "95 %", "after", "95 %", "change", "function"}};
  for (std::size_t i = 0; i < std::min(shown, kRowsWithMetrics); ++i) {
    const RowChange& change = report.comparison.rows[i];
    const ProfileRow& row = change.row();
    for (const MetricChange& each : change.metrics) {
      const Figure was = metric_figure(each.before, style.numbers);
      const Figure is = metric_figure(each.after, style.numbers);
      const Figure gained = metric_figure({.name = {},
                                           .unit = each.after.unit,
                                           .value = each.gained,
                                           .ci95 = std::hypot(each.before.ci95, each.after.ci95),
                                           .may_be_negative = true},
                                          style.numbers);
      table.push_back({printable(each.after.name, 24), with_unit(was), was.spread, with_unit(is),
                       is.spread, (each.gained > 0 ? "+" : "") + with_unit(gained),
                       name_cell(row.function.empty() ? row.module : row.function)});
    }
  }
  return table.size() > 1 ? '\n' + aligned(table, "<>>>>>n", " ", style.width) : "";
}

// "(10.0…14.6 ms)" of a change whose direction was said before; "(2.0 ms less to 14.6 ms more)" of
// one that may have either.
std::string interval_text(const Estimated& gained, const Amounts& amounts) {
  const std::string low = amounts.text(std::abs(gained.low));
  const std::string high = amounts.text(std::abs(gained.high));
  if (gained.low > 0) return fmt::format("({}…{}{})", low, high, amounts.unit());
  if (gained.high < 0) return fmt::format("({}…{}{})", high, low, amounts.unit());
  return fmt::format("({}{} less to {}{} more)", low, amounts.unit(), high, amounts.unit());
}

// "takes 12.3 ms more (10.0…14.6 ms), 105.0 % of before"
std::string total_text(const ProfileComparisonReport& report, const Amounts& amounts,
                       const NumberStyle& style) {
  const ProfileComparison& all = report.comparison;
  const Estimated& gained = all.count.gained;
  const bool clock = report.before.event().clock;
  std::string text =
      fmt::format("{} {}{} {}", clock ? "takes" : "counts", amounts.text(std::abs(gained.value)),
                  amounts.unit(), gained.value < 0 ? "less" : "more");
  if (all.count.test) text += ' ' + interval_text(gained, amounts);
  if (all.before.count.value > 0)
    text += fmt::format(", {} % of before",
                        fixed(100 * all.after.count.value / all.before.count.value, 1, style));
  if (all.count.test && !all.count.is_significant()) text += "; no significant change";
  return text;
}

std::string header_text(const ProfileComparisonReport& report, const Amounts& amounts,
                        const NumberStyle& style) {
  const ProfileComparison& all = report.comparison;
  std::string text = side_line("before", report.before, all.before, amounts, style) +
                     side_line("after", report.after, all.after, amounts, style);
  const std::string& old_cpu = report.before.recordings.front().cpu;
  const std::string& new_cpu = report.after.recordings.front().cpu;
  if (old_cpu != new_cpu)
    text +=
        paragraph(" machine   ", printable(fmt::format("{} before, {} after", old_cpu, new_cpu)));
  if (const auto& chosen = report.before.recordings.front().chosen)
    text += paragraph(" shares    ", "of the samples of " + printable(chosen->words, 1000));
  return text + paragraph(" in all    ", total_text(report, amounts, style));
}

// Empty if the change was not tested.
std::string interval_cell(const Change& change, const Amounts& amounts) {
  if (change.too_few_pairs) return "too few pairs";
  if (!change.test) return "";
  const Estimated& gained = change.gained;
  return fmt::format("{}…{}", amounts.change(gained.low), amounts.change(gained.high));
}

Cells change_cells(const ProfileComparisonReport& report, const RowChange& each,
                   const Amounts& amounts, const TextStyle& style) {
  const ProfileRow& row = each.row();
  const SortBy sort = report.sort();
  const Estimated& gained = each.count.gained;
  Cells cells{amounts.text(each.before.count.value), amounts.text(each.after.count.value),
              amounts.change(gained.value)};
  if (is_tested(report)) {
    cells.push_back(interval_cell(each.count, amounts));
    cells.emplace_back(change_word(each.count, "-"));
  }
  cells.insert(cells.end(),
               {percent(each.before.share.value, style.numbers),
                percent(each.after.share.value, style.numbers), name_cell(modules(each))});
  if (sort != SortBy::module) cells.push_back(name_cell(row.function));
  if (sort == SortBy::line) cells.push_back(name_cell(location(row)));
  return cells;
}

std::string changes_table(const ProfileComparisonReport& report, std::size_t shown,
                          const Amounts& amounts, const TextStyle& style) {
  const SortBy sort = report.sort();
  Cells head{fmt::format("before{}", amounts.unit()), fmt::format("after{}", amounts.unit()),
             fmt::format("change{}", amounts.unit())};
  std::string sides = ">>>";
  if (is_tested(report)) {
    head.insert(head.end(), {"95 %", "changed"});
    sides += "><";
  }
  head.insert(head.end(), {"share before", "after"});
  sides += ">>";
  head.emplace_back("module");
  if (sort != SortBy::module) head.emplace_back("function");
  if (sort == SortBy::line) head.emplace_back("line");
  sides.resize(head.size(), 'n');
  std::vector<Cells> table{head};
  for (std::size_t i = 0; i < shown; ++i)
    table.push_back(change_cells(report, report.comparison.rows[i], amounts, style));
  const auto heat = [&](std::size_t line) {
    if (line == 0 || line > shown) return 0.0;
    const RowChange& change = report.comparison.rows[line - 1];
    return std::max(change.before.share.value, change.after.share.value);
  };
  std::vector<std::vector<std::string_view>> least_needed{{"share before"}};
  if (sort != SortBy::module) least_needed.push_back({"module"});
  const auto left_out = leave_columns_out(table, sides, " ", style.width, least_needed);
  return coloured(aligned(table, sides, " ", style.width), heat, style) + left_out_note(left_out);
}

// How the marks and the intervals came about.
std::string tests_note(const ProfileComparisonReport& report, const Amounts& amounts,
                       const NumberStyle& style) {
  const std::size_t pairs = std::min(report.before.files.size(), report.after.files.size());
  const std::size_t surplus =
      std::max(report.before.files.size(), report.after.files.size()) - pairs;
  std::string text = paragraph(
      " ", fmt::format("more, less: the row changed significantly. -: no significant change. Rows "
                       "with fewer than {:.0f} samples a recording are not tested.",
                       kFewestTestedSamples));
  text += paragraph(
      " ", fmt::format("Changes and intervals come from {} of recordings, and not from the means. "
                       "If the programs are the same, at most 5 of 100 comparisons find a "
                       "significant change in all, and at most 5 in any row.",
                       plural(pairs, "pair", style)));
  if (report.comparison.order == RecordingOrder::unknown)
    text += paragraph(" ", std::string(kUnknownOrder));
  if (surplus > 0)
    text += paragraph(
        " ", fmt::format("The last {} of one side {} in no pair.",
                         plural(surplus, "recording", style), surplus == 1 ? "is" : "are"));
  const auto undecided = [](const RowChange& row) { return row.count.too_few_pairs; };
  if (const auto rows = std::ranges::count_if(report.comparison.rows, undecided); rows > 0)
    text += paragraph(" ", fmt::format("So few pairs can't show a change of one row among {}: at "
                                       "least {} are needed.",
                                       rows, fewest_pairs(static_cast<std::size_t>(rows))));
  if (pairs >= kManyRecordings) return text;
  const Estimated& gained = report.comparison.count.gained;
  const double now = (gained.high - gained.low) / 2;
  return text +
         paragraph(
             " ",
             fmt::format(
                 "Here a change in all is significant from about {}{} on; with {} pairs of the "
                 "same spread it would be from about {}{} on.",
                 amounts.text(now), amounts.unit_in_prose(), kManyRecordings,
                 amounts.text(now * std::sqrt(static_cast<double>(pairs) / kManyRecordings)),
                 amounts.unit()));
}

}  // namespace

std::string profile_comparison_text(const ProfileComparisonReport& report, std::size_t limit,
                                    const TextStyle& style) {
  const NumberStyle& numbers = style.numbers;
  const Amounts amounts(report.before.event(), numbers);
  const std::size_t shown = report.shown(limit);
  std::string text =
      header_text(report, amounts, numbers) + '\n' + changes_table(report, shown, amounts, style);
  if (const std::size_t rows = report.comparison.rows.size(); shown < rows)
    text += fmt::format(" … {} more (--limit 0 shows all)\n", plural(rows - shown, "row", numbers));
  text += metrics_text(report, shown, style) + '\n';
  if (report.before.is_exact() && report.after.is_exact())
    text += " Each event was a sample: the counts of each recording are exact.\n";
  return text + (is_tested(report)
                     ? tests_note(report, amounts, numbers)
                     : no_claim_text(report.comparison.evidence, report.before.files.size(),
                                     report.after.files.size(), kNoClaim, numbers));
}

}  // namespace tacho
