#include "blocks/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

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
  const int digits = std::abs(value) < 100 ? 1 : 0;
  return sign_of(value) + fixed(std::abs(value), digits, style);
}

std::string signed_percent(double share, const NumberStyle& style) {
  return sign_of(share) + fixed(100 * std::abs(share), 1, style);
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
  const auto side = [&](const std::vector<Mode>& modes, std::size_t i) {
    return fmt::format("{} ({}) at {} cycles", percent(modes[i].share, style),
                       range(modes[i].share95, style), cycles_of(modes[i].middle, style));
  };
  if (!shift.after)
    return fmt::format("{} before, gone after", side(it.modes_before, *shift.before));
  if (!shift.before) return fmt::format("new: {}", side(it.modes_after, *shift.after));
  return fmt::format("{} before, {} after: moved by {}, its share by {} ({}…{}) %",
                     side(it.modes_before, *shift.before), side(it.modes_after, *shift.after),
                     change_text(*shift.moved, style), signed_percent(shift.share.value, style),
                     signed_percent(shift.share.low, style),
                     signed_percent(shift.share.high, style));
}

// The command is cut after this many characters.
constexpr std::size_t kLongestCommand = 2000;

std::string command_of(const Blocks& blocks) {
  return printable(fmt::format("{}", fmt::join(blocks.command, " ")), kLongestCommand);
}

std::string mean_text(const RunComparison& it, const NumberStyle& style) {
  const Estimated& by = it.mean_moved;
  if (!std::isfinite(by.high)) return "too few stacks to compare the means";
  if (by.low <= 0 && by.high >= 0) return "the difference of the means is not significant";
  return fmt::format("an execution takes {} % {} cycles after than before",
                     fixed(100 * std::abs(by.value) / it.mean_before.value, 1, style),
                     by.value < 0 ? "fewer" : "more");
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

Json json_comparison(const RunComparison& it, const ComparisonReport& report) {
  Json shifts = Json::array();
  for (const ModeShift& shift : it.modes)
    shifts.push_back({{"before", shift.before ? Json(*shift.before) : Json()},
                      {"after", shift.after ? Json(*shift.after) : Json()},
                      {"moved", shift.moved ? json_estimated(*shift.moved) : Json()},
                      {"share_gained", json_estimated(shift.share)}});
  return {
      {"run", run_name(report.before.runs[it.before], report.before)},
      {"before",
       json_side(report.before, it.before, it.modes_before, it.median_before, it.mean_before)},
      {"after", json_side(report.after, it.after, it.modes_after, it.median_after, it.mean_after)},
      {"median_moved", json_estimated(it.median_moved)},
      {"mean_moved", json_estimated(it.mean_moved)},
      {"modes", std::move(shifts)}};
}

}  // namespace

std::string comparison_text(const ComparisonReport& report, const NumberStyle& style) {
  std::string text = paragraph(" before    ", fmt::format("{}: {}", printable(report.before_name),
                                                          command_of(report.before)));
  text += paragraph(" after     ",
                    fmt::format("{}: {}", printable(report.after_name), command_of(report.after)));
  text += paragraph(" machine   ",
                    printable(report.before.cpu == report.after.cpu
                                  ? report.before.cpu
                                  : report.before.cpu + " before, " + report.after.cpu + " after"));
  for (const RunComparison& it : report.runs) {
    const CodeRun& before = report.before.runs[it.before];
    const CodeRun& after = report.after.runs[it.after];
    text += fmt::format(
        "\n{} in {}: {} before, {} after\n", printable(run_name(before, report.before)),
        printable(report.before.modules[before.module].name),
        plural(before.count, "execution", style), plural(after.count, "execution", style));
    text += histogram_table(before.cycles, after.cycles, style);
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
  for (const std::size_t run : report.missing)
    text += fmt::format("\n{}: not seen with cycles in {}\n",
                        printable(run_name(report.before.runs[run], report.before)),
                        printable(report.after_name));
  return text;
}

std::string comparison_json(const ComparisonReport& report, std::string_view version) {
  Json runs = Json::array(), missing = Json::array();
  for (const RunComparison& it : report.runs) runs.push_back(json_comparison(it, report));
  for (const std::size_t run : report.missing)
    missing.push_back(run_name(report.before.runs[run], report.before));
  const auto recording = [](const std::string& name, const Blocks& blocks) {
    return Json{
        {"file", name}, {"command", json_list(blocks.command)}, {"cpu", json_text(blocks.cpu)}};
  };
  return written({{"tacho", {{"version", version}, {"schema", 1}}},
                  {"before", recording(report.before_name, report.before)},
                  {"after", recording(report.after_name, report.after)},
                  {"runs", std::move(runs)},
                  {"missing", std::move(missing)}},
                 2);
}

}  // namespace tacho
