#include "blocks/run_explanation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "blocks/run_intervals.hpp"

namespace tacho {
namespace {

constexpr double kFastest = 0.01;  // the quantile that stands for the fastest executions
// A mode is slow if it takes at least this many cycles and this part of the floor more than the
// floor. A miss beyond the second cache level costs more, and the estimates of the floor are not
// more exact.
constexpr double kLeastExtra = 10;  // cycles
constexpr double kLeastPart = 0.25;

// The fastest executions show the cost of the code only if some of them missed nothing. The other
// estimates are lower bounds, which no execution may reach.
RunCost floor_of(const RunExplanation& it) {
  if (it.analysed)
    return {std::max(it.analysed->run, it.by_width.value_or(0)), CostBasis::analysed};
  if (it.by_width) return {*it.by_width, CostBasis::width};
  return {static_cast<double>(it.fastest), CostBasis::observed};
}

std::vector<SlowMode> slow_modes(const RunExplanation& it) {
  std::vector<SlowMode> slow;
  for (std::size_t i = 0; i < it.modes.size(); ++i) {
    const double extra = it.modes[i].middle - it.floor.cycles;
    if (extra > kLeastExtra && extra > kLeastPart * it.floor.cycles) slow.push_back({i, extra});
  }
  return slow;
}

// The fewest cycles in which the core can rename the instructions. Jumps are not counted, because a
// conditional jump and the comparison before it may be one micro-operation.
double by_width(std::span<const std::string> instructions, const CoreFacts& core) {
  const auto jumps = std::ranges::count_if(
      instructions, [](const std::string& each) { return each.starts_with('j'); });
  return static_cast<double>(std::ssize(instructions) - jumps) / core.width;
}

RunCost cost_of_window(const RunExplanation& it, std::span<const std::string> all) {
  const auto window = all.subspan(it.load->known, it.load->at - it.load->known);
  if (window.empty()) return {0, it.floor.basis};
  if (!it.core)
    return {it.floor.cycles * static_cast<double>(window.size()) / static_cast<double>(all.size()),
            CostBasis::observed};
  const double least = by_width(window, *it.core);
  if (it.analysed && it.analysed->before)
    return {std::max(least, *it.analysed->before), CostBasis::analysed};
  return {least, CostBasis::width};
}

// Cycles of a round of the loop that contains this run, if nothing misses. The run's own cost if no
// such loop is known.
double round_of(const Blocks& blocks, const RunExplanation& it) {
  for (const RunLoop& loop : blocks.loops) {
    if (std::ranges::find(loop.round.runs, it.run) == loop.round.runs.end()) continue;
    double sum = 0;
    for (const std::size_t each : loop.round.runs) {
      const Histogram& cycles = blocks.runs[each].cycles;
      if (each == it.run)
        sum += it.floor.cycles;
      else if (!cycles.empty())
        sum += static_cast<double>(cycles.quantile(kFastest));
    }
    return sum;
  }
  return it.floor.cycles;
}

// The mode that contains this number of cycles, or the nearest one.
std::size_t mode_of(std::uint64_t cycles, std::span<const Mode> modes) {
  const auto distance = [&](const Mode& mode) -> std::uint64_t {
    if (cycles < mode.low) return mode.low - cycles;
    return cycles > mode.high ? cycles - mode.high : 0;
  };
  return static_cast<std::size_t>(std::ranges::min_element(modes, {}, distance) - modes.begin());
}

// The interval of the saved share. `saved_in` has the cycles that are saved in an execution, by
// mode.
ShareInterval saving95(const RunExplanation& it, const CodeRun& run, double saving,
                       std::span<const double> saved_in) {
  const double half =
      sum95(run,
            [&](std::uint64_t cycles) {
              return saved_in[mode_of(cycles, it.modes)] - saving * static_cast<double>(cycles);
            }) /
      static_cast<double>(run.cycle_sum);
  return {std::max(0.0, saving - half), std::min(1.0, saving + half)};
}

PrefetchWindow window_of(const Blocks& blocks, const RunExplanation& it,
                         std::span<const std::string> all) {
  PrefetchWindow window;
  window.instructions = it.load->at - it.load->known;
  window.cost = cost_of_window(it, all);
  const CodeRun& run = blocks.runs[it.run];
  double saved = 0;
  std::vector<double> saved_in(it.modes.size());
  for (const SlowMode& slow : it.slow) {
    saved_in[slow.mode] = std::min(window.cost.cycles, slow.extra);
    saved += static_cast<double>(it.modes[slow.mode].count) * saved_in[slow.mode];
    window.extra = std::max(window.extra, slow.extra);
  }
  window.hidden = std::min(window.cost.cycles, window.extra);
  window.saving = saved / static_cast<double>(run.cycle_sum);
  window.saving95 = saving95(it, run, window.saving, saved_in);
  window.round = round_of(blocks, it);
  if (window.round > 0)
    window.ahead = std::ceil(std::max(0.0, window.extra - window.cost.cycles) / window.round);
  return window;
}

}  // namespace

bool RunExplanation::is_seen_enough() const {
  return unseen <= kLeastModeShare;
}

AnalysedCode code_of(const Blocks& blocks, const RunListing& listing) {
  AnalysedCode code;
  for (const RunInstruction& each : listing.instructions) code.instructions.push_back(each.text);
  code.load = likely_miss(blocks.architecture, code.instructions);
  return code;
}

std::optional<RunExplanation> explain_run(const Blocks& blocks, std::size_t run,
                                          const RunListing* listing,
                                          const std::optional<CoreFacts>& core,
                                          const std::optional<StaticCost>& analysed) {
  const Histogram& cycles = blocks.runs[run].cycles;
  if (cycles.empty()) return std::nullopt;
  RunExplanation it;
  it.run = run;
  it.modes = modes_of(blocks.runs[run]);
  it.least = cycles.bins().front().value;
  it.fastest = cycles.quantile(kFastest);
  it.median = cycles.quantile(0.5);
  it.core = core;
  it.analysed = analysed;
  const AnalysedCode code = listing != nullptr ? code_of(blocks, *listing) : AnalysedCode();
  if (core && listing != nullptr) it.by_width = by_width(code.instructions, *core);
  it.floor = floor_of(it);
  it.slow = slow_modes(it);
  it.has_code = listing != nullptr;
  it.load = code.load;
  if (it.load) it.load_text = code.instructions[it.load->at];
  it.unseen = none95(blocks.runs[run]).high;
  if (it.load && !it.slow.empty() && it.is_seen_enough())
    it.window = window_of(blocks, it, code.instructions);
  return it;
}

}  // namespace tacho
