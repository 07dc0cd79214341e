// The report of a comparison as text, and as a table of Markdown.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/safe_text.hpp"
#include "base/text_layout.hpp"
#include "compare/change_text.hpp"
#include "compare/layout_share.hpp"
#include "compare/report.hpp"
#include "compare/strip.hpp"

namespace tacho {
namespace {

const PairedChange* find_change(const CompareReport& report, std::size_t member,
                                std::string_view metric) {
  for (const PairedChange& change : report.changes)
    if (change.member == member && report.runs.metrics[change.metric].name == metric)
      return &change;
  return nullptr;
}

// The primary metric, and the wall time beside it.
std::string verdict(const CompareReport& report, std::size_t member, const NumberStyle& style) {
  const PairedRuns& runs = report.runs;
  const PairedChange* primary = find_change(report, member, runs.metrics[runs.primary].name);
  if (primary == nullptr) return "nothing was compared";
  std::string text = sentence(*primary, runs, style);
  const PairedChange* wall = find_change(report, member, kWallTime);
  if (wall != nullptr && wall != primary) text += "; " + clause(*wall, runs, style);
  if (report.runs.baseline) text += "; the runs were not side by side";
  return text + ".";
}

// Why the comparison ended, in one sentence.
std::string ending(const PairedRuns& runs, const NumberStyle& style) {
  if (runs.exact())
    return fmt::format("{} simulated runs of each command counted alike: the counts are exact.",
                       runs.blocks);
  if (runs.baseline) return "The commands did not run side by side.";
  const std::string pairs = plural(runs.blocks, "pair", style);
  std::vector<std::size_t> done;
  std::ranges::copy_if(runs.looks, std::back_inserter(done),
                       [&](std::size_t look) { return look <= runs.blocks; });
  if (done.size() <= 1) return pairs + " in random order.";
  return fmt::format("{} in random order, judged at {}.", pairs, fmt::join(done, ", "));
}

std::vector<Cells> change_rows(const CompareReport& report, std::size_t member,
                               const NumberStyle& style) {
  std::vector<Cells> rows;
  for (const PairedChange& change : report.changes) {
    if (change.member != member || change.verdict == ChangeVerdict::missing) continue;
    const ComparedMetric& metric = report.runs.metrics[change.metric];
    const double scale = std::max(change.before, change.after);
    rows.push_back({printable(metric.name), amount(change.before, scale, metric.unit, style),
                    amount(change.after, scale, metric.unit, style),
                    change_of(change, metric, style), range_of(change, metric, style),
                    verdict_word(change, metric)});
  }
  return rows;
}

// The metrics without values, by reason: each reason once.
std::vector<std::string> missing(const CompareReport& report) {
  std::map<std::string, std::vector<std::string>> names;
  for (std::size_t i = 0; i < report.runs.metrics.size(); ++i) {
    const ComparedMetric& metric = report.runs.metrics[i];
    const auto of_metric = [i](const PairedChange& change) {
      return change.metric == i && change.verdict != ChangeVerdict::missing;
    };
    if (std::ranges::any_of(report.changes, of_metric)) continue;
    names[printable(missing_reason(metric))].push_back(printable(metric.name));
  }
  std::vector<std::string> lines;
  for (const auto& [reason, metrics] : names)
    lines.push_back(fmt::format("{}: {}", fmt::join(metrics, ", "), reason));
  return lines;
}

// What a gate was judged by: "B: +1.2 % (0.8…1.6)".
std::string judged_by(const CompareReport& report, const JudgedGate& judged,
                      const NumberStyle& style) {
  const PairedChange& change = report.changes[judged.change];
  const ComparedMetric& metric = report.runs.metrics[change.metric];
  const std::string name = shown_name(report.runs, change.member);
  if (change.verdict == ChangeVerdict::missing)
    return fmt::format("{}: not known, {}", name, printable(missing_reason(metric)));
  const std::string range = range_of(change, metric, style);
  return fmt::format("{}: {}{}", name, change_of(change, metric, style),
                     range.empty() ? "" : " " + range);
}

std::string gates_text(const CompareReport& report, const NumberStyle& style) {
  std::string text;
  for (const JudgedGate& judged : report.gates)
    text += paragraph("", fmt::format("gate {}: {} ({})", printable(judged.gate.text),
                                      to_string(judged.verdict), judged_by(report, judged, style)));
  return text;
}

// What so many pairs can find, if the primary metric of a command is not decided.
std::string findable_text(const CompareReport& report, const PairedChange& change,
                          const NumberStyle& style) {
  const bool several = report.runs.compared().size() > 1;
  return paragraph(several ? shown_name(report.runs, change.member) + ": " : "",
                   fmt::format("{} find a change of {:.2g} % in 80 of 100 comparisons.",
                               plural(change.pairs, "such pair", style), 100 * *change.findable));
}

// The strips of the primary metric, below each other on one scale.
std::string strips(const CompareReport& report, const NumberStyle& style) {
  const PairedRuns& runs = report.runs;
  if (runs.blocks < 2) return {};
  std::vector<std::size_t> shown = {0};
  std::ranges::copy(runs.compared(), std::back_inserter(shown));
  std::vector<std::vector<double>> values;
  for (const std::size_t member : shown) {
    values.emplace_back();
    for (const auto& value : runs.series(member, runs.primary))
      if (value) values.back().push_back(*value);
    if (values.back().empty()) return {};
  }
  const auto lines = strips_of(values);
  const ComparedMetric& metric = runs.metrics[runs.primary];
  std::vector<Cells> rows;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto [low, high] = std::ranges::minmax(values[i]);
    rows.push_back({shown_name(runs, shown[i]), lines[i],
                    fmt::format("{} to {}", amount(low, high, metric.unit, style),
                                amount(high, high, metric.unit, style))});
  }
  return fmt::format("\n{} of each run, in time:\n{}", printable(metric.name),
                     aligned(rows, "<<<", "  "));
}

}  // namespace

std::string to_text(const CompareReport& report, const NumberStyle& style) {
  if (report.runs.sweep) return sweep_text(report, style);
  const PairedRuns& runs = report.runs;
  std::string text;
  const auto compared = runs.compared();
  for (const std::size_t member : compared) text += paragraph("", verdict(report, member, style));
  text += gates_text(report, style);
  for (const std::size_t member : compared) {
    std::vector<Cells> rows = {
        {"", shown_name(runs, 0), shown_name(runs, member), "change", "", ""}};
    std::ranges::move(change_rows(report, member, style), std::back_inserter(rows));
    text += "\n" + aligned(rows, "<>>><<", "  ");
  }
  text += strips(report, style) + "\n";
  for (const ComparedCommand& command : runs.commands)
    text += paragraph(
        command.label + ": ",
        (command.name.empty() ? "" : printable(command.name) + ": ") + shown_command(command));
  text += paragraph("", ending(runs, style));
  for (const PairedChange& change : report.changes) {
    if (change.metric != runs.primary) continue;
    if (runs.members[change.member].role == BlockMember::Role::control)
      text += paragraph("control: ", sentence(change, runs, style) + ".");
    else if (change.verdict == ChangeVerdict::undecided && change.findable)
      text += findable_text(report, change, style);
  }
  text += layout_share_text(runs, style);
  for (const std::string& each : missing(report)) text += paragraph("not compared: ", each);
  for (const std::string& warning : report.warnings)
    text += paragraph("warning: ", printable(warning, 1'000));
  return text;
}

std::string to_markdown(const CompareReport& report, const NumberStyle& style) {
  if (report.runs.sweep) return "```\n" + sweep_text(report, style) + "```\n";
  const PairedRuns& runs = report.runs;
  // What Markdown would act on in names that come from the user.
  const auto cell = [](std::string_view text) {
    std::string escaped;
    for (const char c : text) {
      if (std::string_view("\\`*_{}[]<>#|").contains(c)) escaped += '\\';
      escaped += c;
    }
    return escaped;
  };
  std::string text;
  for (const std::size_t member : runs.compared()) {
    text += fmt::format("**{}**\n\n", cell(verdict(report, member, style)));
    text += fmt::format(
        "| | {} | {} | change | interval | |\n| --- | ---: | ---: | ---: | --- "
        "| --- |\n",
        cell(shown_name(runs, 0)), cell(shown_name(runs, member)));
    for (const Cells& row : change_rows(report, member, style)) {
      text += "|";
      for (const std::string& each : row) text += fmt::format(" {} |", cell(each));
      text += "\n";
    }
    text += "\n";
  }
  for (const JudgedGate& judged : report.gates)
    text += fmt::format("- gate {}: **{}** ({})\n", cell(printable(judged.gate.text)),
                        to_string(judged.verdict), cell(judged_by(report, judged, style)));
  for (const std::string& each : missing(report))
    text += fmt::format("- not compared: {}\n", cell(each));
  for (const std::string& warning : report.warnings)
    text += fmt::format("- warning: {}\n", cell(printable(warning, 1'000)));
  for (const ComparedCommand& command : runs.commands)
    text += fmt::format("- {}: {}\n", command.label, cell(shown_command(command)));
  return text + "\n" + cell(ending(runs, style)) + "\n";
}

}  // namespace tacho
