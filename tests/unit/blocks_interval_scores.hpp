// Scores the intervals of a code run on drawn runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks/run_intervals.hpp"
#include "blocks/runs_from_stacks.hpp"
#include "blocks_drawn_runs.hpp"
#include "locate_made_up_records.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho::drawn {

// By figure: "mean", "IPC", "median", "p90", "p99", "mispredicted". With Cycles::two_modes also
// "place of a mode" and "share of a mode", if two modes were found.
using RunScores = std::map<std::string, IntervalScore>;

inline RunScores score_runs(Cycles kind, Order order, std::size_t stacks, std::size_t draws,
                            std::uint64_t seed) {
  RandomDraws random(seed);
  RunScores scores;
  for (std::size_t i = 0; i < draws; ++i) {
    const Drawn drawn = draw_run(kind, order, stacks, random);
    const Truth truth(kind, drawn.slow);
    scores["mean"].add(mean95(drawn.run), truth.mean());
    if (const auto ipc = ipc95(drawn.run)) scores["IPC"].add(*ipc, kInstructions / truth.mean());
    for (const auto& [name, q] :
         {std::pair<std::string, double>{"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}})
      scores[name].add(estimated(drawn.run.cycles.quantile(q), run_quantile95(drawn.run, q)),
                       truth.quantile(q));
    const auto ratio = mispredict_ratio(drawn.run);
    scores["mispredicted"].add({ratio->value, ratio->ci95.low, ratio->ci95.high}, drawn.slow);
    if (kind != Cycles::two_modes) continue;
    const std::vector<Mode> modes = modes_of(drawn.run);
    if (modes.size() != 2) continue;
    scores["share of a mode"].add({modes[1].share, modes[1].share95.low, modes[1].share95.high},
                                  drawn.slow);
    for (const auto& [mode, place] : {std::pair(modes[0], 40), std::pair(modes[1], 140)})
      scores["place of a mode"].add({mode.middle, mode.middle_low, mode.middle_high}, place);
  }
  return scores;
}

// Iterations each time that a loop is entered.
enum class Trips { constant, geometric, two_kinds };
inline constexpr std::array<std::pair<Trips, std::string_view>, 3> kTrips{
    {{Trips::constant, "always 6"},
     {Trips::geometric, "geometric, 8 on average"},
     {Trips::two_kinds, "2 or 20, in phases"}}};

// The loop at 0x1010…0x1020, entered from 0x1000 and left at 0x1040. A stack has 32 branches of one
// moment. The truth is the mean of this recording's time.
inline IntervalScore score_trips(Trips kind, std::size_t stacks, std::size_t draws,
                                 std::uint64_t seed) {
  constexpr std::size_t kDepth = 32;
  RandomDraws random(seed);
  IntervalScore score;
  for (std::size_t i = 0; i < draws; ++i) {
    std::vector<perfdata::Branch> branches;
    const auto take = [&](std::uint64_t from, std::uint64_t to) {
      perfdata::Branch branch;
      branch.from = from;
      branch.to = to;
      branch.cycles = 5;
      branch.predicted = true;
      branches.push_back(branch);
    };
    double trips = 0;
    const std::size_t entries = 40 * stacks;
    bool long_phase = false;
    for (std::size_t entry = 0; entry < entries; ++entry) {
      if (random.happens(0.02)) long_phase = !long_phase;
      std::size_t count = 6;
      if (kind == Trips::geometric) count = 1 + static_cast<std::size_t>(random.exponential(7.5));
      if (kind == Trips::two_kinds) count = long_phase ? 20 : 2;
      take(0x2010, 0x1000);
      for (std::size_t k = 1; k < count; ++k) take(0x1020, 0x1010);
      take(0x1040, 0x2000);
      trips += static_cast<double>(count) / static_cast<double>(entries);
    }
    MadeUpRecords<BranchStacks> made;
    made.description.events.emplace_back();
    made.description.events.back().sample_type = perfdata::format::kBranchStack;
    made.description.events.back().branch_sample_type = perfdata::format::kAnyBranch;
    for (std::size_t stack = 0; stack < stacks; ++stack) {
      const std::size_t apart = (branches.size() - kDepth) / stacks;
      const std::size_t from = stack * apart + random.below(apart);
      std::vector<perfdata::Branch> newest_first(
          branches.begin() + static_cast<std::ptrdiff_t>(from),
          branches.begin() + static_cast<std::ptrdiff_t>(from + kDepth));
      std::ranges::reverse(newest_first);
      perfdata::Sample sample;
      sample.mode = perfdata::Mode::user;
      sample.pid = sample.tid = 1;
      sample.branches = newest_first;
      made.add(sample);
    }
    made.kept.finish(made.description);
    Resolver resolver(made.kept.modules(), made.description, {});
    const auto blocks = blocks_of(made.kept, made.description, resolver);
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const auto loop = std::ranges::find_if(blocks->loops, [&](const RunLoop& each) {
      return each.round.runs.size() == 1 && blocks->runs[each.round.runs[0]].start == 0x1010;
    });
    if (loop == blocks->loops.end() || !loop->trips)
      score.add({0, -kNone, kNone}, trips);
    else
      score.add({*loop->trips, loop->trips_low, loop->trips_high.value_or(kNone)}, trips);
  }
  return score;
}

}  // namespace tacho::drawn
