// The report of `tacho blocks` as text: the hottest runs, loops and chains of runs, and the code of
// the first runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.hpp"
#include "base/shell_line.hpp"
#include "base/text_layout.hpp"
#include "blocks/explanation_text.hpp"
#include "blocks/report.hpp"
#include "blocks/run_intervals.hpp"
#include "report/figure.hpp"
#include "report/histogram_bars.hpp"

namespace tacho {
namespace {

// Widest text of a column, in characters.
constexpr std::size_t kWidestRunName = 1000;
constexpr std::size_t kWidestCode = 56;
constexpr std::size_t kWidestSource = 90;
constexpr std::size_t kBars = 16;       // lines of a histogram
constexpr std::size_t kMostLoops = 5;   // loops that are shown, and as many chains
constexpr std::size_t kFewestNops = 4;  // equal ones that are one line of a listing
constexpr std::string_view kNone = "-";

std::string head(const Blocks& blocks, const NumberStyle& style) {
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += paragraph(fmt::format(" {:<9} ", what), printable(value, 2000));
  };
  line("command", shell_line(blocks.command));
  line("machine",
       blocks.host + (blocks.cpu.empty() || blocks.host.empty() ? "" : ", ") + blocks.cpu);
  line("event",
       fmt::format("{}: {} with branch stacks, {}", blocks.event,
                   plural(blocks.samples, "sample", style),
                   blocks.entries == 1 ? "1 branch" : whole(blocks.entries, style) + " branches"));
  const SkippedEntries& skipped = blocks.skipped;
  const std::array<std::pair<std::uint64_t, std::string_view>, 5> kinds{
      {{skipped.doubled, "doubled newest entries"},
       {skipped.empty, "empty stacks"},
       {skipped.impossible, "that can't have run straight"},
       {blocks.has_cycles ? skipped.no_cycles : 0, "without cycles"},
       {skipped.wrong_path, "branches on a wrong path"}}};
  std::string left;
  for (const auto& [count, what] : kinds)
    if (count > 0)
      left += fmt::format("{}{} {}", left.empty() ? "" : ", ", whole(count, style), what);
  line("left out", left);
  return text + '\n';
}

std::string ratio_cell(const BranchRatio& ratio, const NumberStyle& style) {
  return fmt::format("{} ({}…{})", percent(ratio.value, style),
                     fixed(100 * ratio.ci95.low, 1, style), fixed(100 * ratio.ci95.high, 1, style));
}

// kMostCycles means this many or more.
std::string cycles_cell(std::uint64_t cycles, const NumberStyle& style) {
  return (cycles == kMostCycles ? "≥" : "") + whole(cycles, style);
}

std::string median_cell(const CodeRun& run, const NumberStyle& style) {
  const QuantileInterval interval = run_quantile95(run, 0.5);
  std::string median = cycles_cell(run.cycles.quantile(0.5), style);
  if (!interval.sure) return median + " (?)";
  if (interval.low == interval.high) return median;
  return fmt::format("{} ({}…{})", median, cycles_cell(interval.low, style),
                     cycles_cell(interval.high, style));
}

std::string ipc_cell(const CodeRun& run, const NumberStyle& style) {
  const auto ipc = ipc95(run);
  if (!ipc) return std::string(kNone);
  const std::string value = fixed(ipc->value, 2, style);
  if (run.saturated() > 0) return "≤" + value;
  if (!std::isfinite(ipc->high)) return value + " (?)";
  const std::string low = fixed(ipc->low, 2, style), high = fixed(ipc->high, 2, style);
  return low == high ? value : fmt::format("{} ({}…{})", value, low, high);
}

std::string run_table(const BlocksReport& report, std::size_t count, const TextStyle& text_style) {
  const NumberStyle& style = text_style.numbers;
  const Blocks& blocks = report.blocks;
  std::uint64_t all = 0;
  for (const CodeRun& run : blocks.runs) all += run.cycle_sum;
  std::vector<Cells> table{{"cycles", "executions", "mispredicted", "min", "median", "p90", "p99",
                            "instructions", "IPC", "run", "module"}};
  for (std::size_t i = 0; i < count; ++i) {
    const CodeRun& run = blocks.runs[report.chosen.runs[i]];
    Cells cells{all > 0
                    ? percent(static_cast<double>(run.cycle_sum) / static_cast<double>(all), style)
                    : std::string(kNone),
                whole(run.count, style)};
    const auto ratio = mispredict_ratio(run);
    cells.push_back(ratio ? ratio_cell(*ratio, style) : std::string(kNone));
    if (run.cycles.empty())
      cells.insert(cells.end(), 4, std::string(kNone));
    else
      for (const std::string& cell :
           {cycles_cell(run.cycles.bins().front().value, style), median_cell(run, style),
            cycles_cell(run.cycles.quantile(0.9), style),
            cycles_cell(run.cycles.quantile(0.99), style)})
        cells.push_back(cell);
    cells.push_back(run.instructions ? whole(*run.instructions, style) : std::string(kNone));
    cells.push_back(ipc_cell(run, style));
    cells.push_back(printable(run_name(run, blocks), kWidestRunName));
    cells.push_back(printable(blocks.modules[run.module].name, kWidestRunName));
    table.push_back(std::move(cells));
  }
  std::string sides = ">>>>>>>>>nn";
  const auto left_out = leave_columns_out(
      table, sides, "", text_style.width,
      {{"p90"}, {"min"}, {"module"}, {"instructions"}, {"p99"}, {"mispredicted"}});
  return aligned(table, sides, "", text_style.width) + left_out_note(left_out);
}

std::string chain_text(const RunChain& chain, const Blocks& blocks) {
  std::string text;
  for (const std::size_t each : chain.runs)
    text += (text.empty() ? "" : " → ") + run_name(blocks.runs[each], blocks);
  return text;
}

std::string cycles_text(const Histogram& cycles, const NumberStyle& style) {
  if (cycles.empty()) return {};
  return fmt::format(", {} cycles (the least {})", whole(cycles.quantile(0.5), style),
                     whole(cycles.bins().front().value, style));
}

std::string trips_text(const RunLoop& loop, const NumberStyle& style) {
  if (!loop.trips)
    return fmt::format("at least {} iterations each time", brief(loop.trips_low, style));
  return fmt::format("{} iterations each time ({}…{})", brief(*loop.trips, style),
                     brief(loop.trips_low, style), brief(*loop.trips_high, style));
}

std::string loops_and_chains(const Blocks& blocks, std::size_t limit, const NumberStyle& style) {
  const auto within = [&](std::size_t i) { return limit == 0 || i < limit; };
  std::string text;
  for (std::size_t i = 0; i < blocks.loops.size() && within(i); ++i) {
    const RunLoop& loop = blocks.loops[i];
    text += paragraph(
        "loop  ", fmt::format("{}{}; {} times round: {}", trips_text(loop, style),
                              cycles_text(loop.round.cycles, style), whole(loop.round.count, style),
                              printable(chain_text(loop.round, blocks), 1000)));
  }
  for (std::size_t i = 0; i < blocks.chains.size() && within(i); ++i) {
    const RunChain& chain = blocks.chains[i];
    text += paragraph("chain ", fmt::format("{}{}: {}", plural(chain.count, "time", style),
                                            cycles_text(chain.cycles, style),
                                            printable(chain_text(chain, blocks), 1000)));
  }
  return text.empty() ? text : '\n' + text;
}

// The comment of a run's last instruction, as `perf script -F +brstackinsn` writes it for one
// execution. Here it is about all executions.
std::string end_comment(const CodeRun& run, const NumberStyle& style) {
  std::string text = "#";
  const auto ratio = mispredict_ratio(run);
  if (ratio) text += ratio->value <= 0.5 ? " PRED" : " MISPRED";
  std::string more = plural(run.count, "execution", style);
  if (!run.cycles.empty()) {
    const std::uint64_t median = run.cycles.quantile(0.5);
    text += fmt::format(" {} cycles", cycles_cell(median, style));
    if (run.instructions)
      text += fmt::format(
          " {}{} IPC", median == kMostCycles ? "≤" : "",
          fixed(static_cast<double>(*run.instructions) / static_cast<double>(median), 2, style));
    more = "median of " + more;
  }
  if (ratio) more += fmt::format("; {} mispredicted", percent(ratio->value, style));
  return fmt::format("{} ({})", text, more);
}

bool is_nop(const RunInstruction& each) {
  return each.text.starts_with("nop") || each.text.starts_with("data16 nop");
}

// The number of instructions from `at` on that do nothing, are alike and begin no basic block but
// perhaps the first one. The last instruction of the run is not among them.
std::size_t equal_nops(const std::vector<RunInstruction>& code, std::size_t at) {
  if (!is_nop(code[at])) return 1;
  std::size_t end = at + 1;
  while (end + 1 < code.size() && code[end].text == code[at].text && !code[end].block_start) ++end;
  return end - at;
}

std::string code_text(const RunListing& listing, const CodeRun& run, const TextStyle& text_style) {
  const NumberStyle& style = text_style.numbers;
  std::vector<Cells> table;
  const std::vector<RunInstruction>& code = listing.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const RunInstruction& each = code[i];
    const std::size_t nops = equal_nops(code, i);
    const bool last = each.address == run.end;
    std::string text = each.text;
    if (!each.target.empty()) text += " <" + each.target + ">";
    Cells cells{each.block_start ? "+" : "", fmt::format("{:x}", each.address),
                printable(text, kWidestCode)};
    if (nops >= kFewestNops) {
      cells.push_back(fmt::format("{} times, to {:x}", nops, code[i + nops - 1].address));
      i += nops - 1;
    } else if (last) {
      cells.push_back(end_comment(run, style));
    } else if (!each.file.empty()) {
      cells.push_back(fmt::format(
          "{}:{} {}{}", printable(each.file.substr(each.file.rfind('/') + 1)), each.line,
          each.inlined.empty() ? "" : fmt::format("[{}] ", printable(each.inlined, 40)),
          printable(each.source.substr(
                        std::min(each.source.find_first_not_of(" \t"), each.source.size())),
                    kWidestSource)));
    }
    table.push_back(std::move(cells));
  }
  return aligned(table, "<>ww", " ", text_style.width);
}

std::string detail(const BlocksReport& report, std::size_t index, const TextStyle& text_style) {
  const NumberStyle& style = text_style.numbers;
  const CodeRun& run = report.blocks.runs[index];
  std::string text = fmt::format(
      "\n{} in {}: {}{}\n", printable(run_name(run, report.blocks)),
      printable(report.blocks.modules[run.module].name), plural(run.count, "execution", style),
      run.basic_blocks.size() < 2
          ? ""
          : fmt::format(", {} (+)", plural(run.basic_blocks.size(), "basic block", style)));
  const auto listing = std::ranges::find(report.listings, index, &RunListing::run);
  if (listing != report.listings.end())
    text += code_text(*listing, run, text_style);
  else
    text += fmt::format(" {:x} to {:x}  {}\n", run.start, run.end, end_comment(run, style));
  if (!run.cycles.empty()) text += "cycles  times\n" + histogram_bars(run.cycles, kBars);
  const auto why = std::ranges::find(report.explanations, index, &RunExplanation::run);
  if (why != report.explanations.end()) text += explanation_text(*why, style);
  return text;
}

}  // namespace

std::string blocks_text(const BlocksReport& report, std::size_t limit,
                        const TextStyle& text_style) {
  const NumberStyle& style = text_style.numbers;
  const Blocks& blocks = report.blocks;
  std::string text = head(blocks, style);
  const std::size_t runs = report.chosen.runs.size();
  const std::size_t shown = limit == 0 ? runs : std::min(limit, runs);
  text += run_table(report, shown, text_style);
  if (shown < runs)
    text += fmt::format("… and {} more: --limit 0 shows all\n", whole(runs - shown, style));
  if (report.all)
    text += loops_and_chains(blocks, limit == 0 ? 0 : std::min(limit, kMostLoops), style);
  for (std::size_t i = 0; i < std::min(shown, report.details); ++i)
    text += detail(report, report.chosen.runs[i], text_style);
  return text;
}

}  // namespace tacho
