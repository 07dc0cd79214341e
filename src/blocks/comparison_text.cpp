#include "blocks/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/shell_line.hpp"
#include "base/text_layout.hpp"
#include "blocks/explanation_text.hpp"
#include "report/figure.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLines = 20;      // of the histogram
constexpr double kWidestShareBar = 24;  // characters of its longest bar

std::string sign_of(double change) {
  if (change == 0) return "±";
  return change > 0 ? "+" : "-";
}

std::string signed_number(double value, const NumberStyle& style) {
  constexpr double kNothing = 0.005;  // would be shown as 0.00
  const double size = std::abs(value);
  if (size < kNothing) return "0";
  return sign_of(value) + fixed(size, size < 1 ? 2 : size < 100 ? 1 : 0, style);
}

std::string signed_percent(double share, const NumberStyle& style) {
  return sign_of(share) + fixed(100 * std::abs(share), 1, style);
}

// "+3.2 (1.0…4.4)"; without an interval "+3.2".
std::string with_interval(const Estimated& by, std::string (*text)(double, const NumberStyle&),
                          const NumberStyle& style) {
  if (!std::isfinite(by.high)) return text(by.value, style);
  return fmt::format("{} ({}…{})", text(by.value, style), text(by.low, style),
                     text(by.high, style));
}

std::string change_text(const Estimated& by, const NumberStyle& style) {
  if (!std::isfinite(by.high)) return signed_number(by.value, style) + " cycles (?)";
  return fmt::format("{} cycles ({}…{})", signed_number(by.value, style),
                     signed_number(by.low, style), signed_number(by.high, style));
}

// The shares of both in bins of equal width, from the least cycles to the larger 99th percentile.
// The last line has the rest.
std::string histogram_table(const Histogram& before, const Histogram& after,
                            const NumberStyle& style) {
  const std::uint64_t low = std::min(before.bins().front().value, after.bins().front().value);
  const std::uint64_t high = std::max(before.quantile(0.99), after.quantile(0.99));
  const std::uint64_t width = (high - low) / kLines + 1;
  struct Line {
    double before = 0, after = 0;
  };
  std::vector<Line> lines(static_cast<std::size_t>((high - low) / width) + 2);
  const auto add = [&](const Histogram& cycles, double Line::* side) {
    for (const auto& [value, count] : cycles.bins()) {
      const auto at = std::min((value - low) / width, std::uint64_t{lines.size() - 1});
      lines[static_cast<std::size_t>(at)].*side +=
          static_cast<double>(count) / static_cast<double>(cycles.total());
    }
  };
  add(before, &Line::before);
  add(after, &Line::after);
  double most = 0;
  for (const Line& line : lines) most = std::max({most, line.before, line.after});
  const auto bar = [&](double share) {
    return std::string(static_cast<std::size_t>(std::ceil(kWidestShareBar * share / most)), '#');
  };
  std::vector<Cells> table{{"cycles", "before", "", "after", ""}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (line.before == 0 && line.after == 0) continue;
    const std::string first = whole(low + i * width, style);
    table.push_back({i + 1 < lines.size() ? first : first + "…", percent(line.before, style),
                     bar(line.before), percent(line.after, style), bar(line.after)});
  }
  return aligned(table, ">><><", " ");
}

std::string mode_line(const ModeShift& shift, const RunComparison& it, const NumberStyle& style) {
  const bool has_interval = std::isfinite(shift.share.high);
  const auto side = [&](const std::vector<Mode>& modes, std::size_t i) {
    const std::string interval =
        has_interval ? fmt::format(" ({})", range(modes[i].share95, style)) : "";
    return fmt::format("{}{} at {} cycles", percent(modes[i].share, style), interval,
                       cycles_of(modes[i].middle, style));
  };
  if (!shift.after)
    return fmt::format("{} before, gone after", side(it.modes_before, *shift.before));
  if (!shift.before) return fmt::format("new: {}", side(it.modes_after, *shift.after));
  const std::string pair = fmt::format(
      "{} before, {} after: moved by {} cycles", side(it.modes_before, *shift.before),
      side(it.modes_after, *shift.after), with_interval(*shift.moved, signed_number, style));
  return fmt::format("{}, its share by {} percentage points", pair,
                     with_interval(shift.share, signed_percent, style));
}

// The command is cut after this many characters.
constexpr std::size_t kLongestCommand = 2000;

std::string side_line(std::string_view what, const RunSide& side, const NumberStyle& style) {
  std::string name = printable(side.files.front());
  if (side.files.size() > 1)
    name = fmt::format("{}, {} … {}", plural(side.files.size(), "recording", style), name,
                       printable(side.files.back()));
  const std::string command = printable(shell_line(side.blocks.command), kLongestCommand);
  return paragraph(fmt::format(" {:<9} ", what),
                   command.empty() ? name : fmt::format("{}: {}", name, command));
}

std::string mean_text(const RunComparison& it, const NumberStyle& style) {
  const Estimated& by = it.mean_moved;
  if (it.saturated > 0)
    return fmt::format("not known: {} took {} cycles or more, so the means are lower bounds",
                       plural(it.saturated, "execution", style), kMostCycles);
  if (it.pairs_needed)
    return fmt::format(
        "not tested: {} of recordings have this code run, and at least {} are needed",
        plural(it.pairs, "pair", style), *it.pairs_needed);
  if (!std::isfinite(by.high)) return "too few stacks to compare the means";
  if (by.low <= 0 && by.high >= 0) return "the difference of the means is not significant";
  return fmt::format("{}an execution takes {} % {} cycles after than before",
                     it.test ? "" : "in these recordings, ",
                     fixed(100 * std::abs(by.value) / it.mean_before.value, 1, style),
                     by.value < 0 ? "fewer" : "more");
}

// How the changes came about.
std::string evidence_text(const ComparisonReport& report, const NumberStyle& style) {
  const std::size_t before = report.before.files.size(), after = report.after.files.size();
  if (report.compared.evidence != Evidence::pairs)
    return no_claim_text(report.compared.evidence, before, after,
                         {"blocks", " -b", "So the intervals hold for these recordings only."},
                         style);
  std::string text = paragraph(
      " ", fmt::format("Medians and means are those of the recordings, and their changes come from "
                       "{} of them. If the programs are the same, at most 5 of 100 comparisons "
                       "find a significant change of the first mean, and at most 5 of any other. "
                       "Modes are those of all executions together, without intervals.",
                       plural(std::min(before, after), "pair", style)));
  if (report.compared.order == RecordingOrder::unknown)
    text += paragraph(" ", std::string(kUnknownOrder));
  return text;
}

Json json_modes(const std::vector<Mode>& modes) {
  Json json = Json::array();
  for (const Mode& mode : modes) json.push_back(json_mode(mode));
  return json;
}

Json json_side(const Blocks& blocks, std::size_t run, const std::vector<Mode>& modes,
               const Estimated& median, const Estimated& mean) {
  const CodeRun& it = blocks.runs[run];
  Json histogram = Json::array();
  for (const auto& [value, count] : it.cycles.bins())
    histogram.push_back(Json::array({value, count}));
  return {{"start", fmt::format("0x{:x}", it.start)},
          {"end", fmt::format("0x{:x}", it.end)},
          {"count", it.count},
          {"median", json_estimated(median)},
          {"mean", json_estimated(mean)},
          {"modes", json_modes(modes)},
          {"histogram", std::move(histogram)}};
}

// By recording; null where the run was not seen.
Json json_means(const RunSide& side, std::size_t run) {
  Json means = Json::array();
  for (const auto& recording : side.figures)
    means.push_back(recording[run] ? json_number(recording[run]->mean) : Json());
  return means;
}

Json json_comparison(const RunComparison& it, const ComparisonReport& report) {
  Json shifts = Json::array();
  for (const ModeShift& shift : it.modes)
    shifts.push_back({{"before", shift.before ? Json(*shift.before) : Json()},
                      {"after", shift.after ? Json(*shift.after) : Json()},
                      {"moved", shift.moved ? json_estimated(*shift.moved) : Json()},
                      {"share_gained", json_estimated(shift.share)}});
  const Blocks& before = report.before.blocks;
  Json old = json_side(before, it.before, it.modes_before, it.median_before, it.mean_before);
  Json now =
      json_side(report.after.blocks, it.after, it.modes_after, it.median_after, it.mean_after);
  old["means"] = json_means(report.before, it.run);
  now["means"] = json_means(report.after, it.run);
  return {{"run", run_name(before.runs[it.before], before)},
          {"before", std::move(old)},
          {"after", std::move(now)},
          {"median_moved", json_estimated(it.median_moved)},
          {"mean_moved", json_estimated(it.mean_moved)},
          {"changed", it.test ? Json(it.test->rejected) : Json()},
          {"p_adjusted", it.test ? Json(it.test->adjusted) : Json()},
          {"pairs", it.pairs},
          {"saturated", it.saturated},
          {"modes", std::move(shifts)}};
}

// The name of a chosen run. Each is in the first recording before the change.
std::string chosen_name(const ComparisonReport& report, std::size_t run) {
  const Blocks& before = report.before.blocks;
  return run_name(before.runs[*report.before.runs[run]], before);
}

// Which side does not have the run, and what is nearest there.
std::string missing_text(const ComparisonReport& report, std::size_t run) {
  const bool after = !report.after.has_cycles(run);
  const RunSide& side = after ? report.after : report.before;
  std::string text = fmt::format("{}: not seen with cycles {} the change",
                                 printable(chosen_name(report, run)), after ? "after" : "before");
  if (!side.nearest[run].empty())
    text += fmt::format(", where the function has other code: most of its cycles are in {}",
                        printable(side.nearest[run]));
  return paragraph("", text);
}

}  // namespace

std::string comparison_text(const ComparisonReport& report, const NumberStyle& style) {
  const Blocks& before = report.before.blocks;
  const Blocks& after = report.after.blocks;
  std::string text =
      side_line("before", report.before, style) + side_line("after", report.after, style);
  if (before.cpu != after.cpu)
    text += paragraph(" machine   ", printable(before.cpu + " before, " + after.cpu + " after"));
  else if (!before.cpu.empty())
    text += paragraph(" machine   ", printable(before.cpu));
  for (const RunComparison& it : report.compared.runs) {
    const CodeRun& old = before.runs[it.before];
    const CodeRun& now = after.runs[it.after];
    text +=
        fmt::format("\n{} in {}: {} before, {} after\n", printable(run_name(old, before)),
                    printable(before.modules[old.module].name),
                    plural(old.count, "execution", style), plural(now.count, "execution", style));
    text += histogram_table(old.cycles, now.cycles, style);
    const auto line = [&](std::string_view what, const std::string& value) {
      text += paragraph(fmt::format(" {:<9} ", what), value);
    };
    const auto both = [&](const Estimated& one, const Estimated& other, const Estimated& by) {
      return fmt::format("{} → {}: {}", cycles_of(one.value, style), cycles_of(other.value, style),
                         change_text(by, style));
    };
    line("median", both(it.median_before, it.median_after, it.median_moved));
    line("mean", both(it.mean_before, it.mean_after, it.mean_moved));
    for (const ModeShift& shift : it.modes) line("mode", mode_line(shift, it, style));
    line("result", mean_text(it, style));
  }
  for (const std::size_t run : report.compared.missing) text += '\n' + missing_text(report, run);
  if (report.compared.runs.empty()) return text;
  return text + '\n' + evidence_text(report, style);
}

std::string comparison_json(const ComparisonReport& report, std::string_view version) {
  Json runs = Json::array(), missing = Json::array();
  for (const RunComparison& it : report.compared.runs) runs.push_back(json_comparison(it, report));
  for (const std::size_t run : report.compared.missing) missing.push_back(chosen_name(report, run));
  const auto side = [](const RunSide& recordings) {
    return Json{{"file", recordings.files.front()},
                {"files", json_list(recordings.files)},
                {"command", json_list(recordings.blocks.command)},
                {"cpu", json_text(recordings.blocks.cpu)}};
  };
  return written({{"tacho", {{"version", version}, {"schema", 1}}},
                  {"evidence", to_string(report.compared.evidence)},
                  {"order", to_string(report.compared.order)},
                  {"before", side(report.before)},
                  {"after", side(report.after)},
                  {"runs", std::move(runs)},
                  {"missing", std::move(missing)}},
                 2);
}

}  // namespace tacho
