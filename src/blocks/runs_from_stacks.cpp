#include "blocks/runs_from_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "blocks/loops_and_chains.hpp"
#include "blocks/run_code.hpp"

namespace tacho {
namespace {

// Bytes. If the code is not here, a longer run is taken for a stack with missing branches. perf
// script uses the same bound.
constexpr std::uint64_t kLongestWithoutCode = 16384;

// Instructions that all runs have together: runs can lie over each other, and each is followed by
// itself. A recording can have some more for each branch.
constexpr std::uint64_t kAlwaysFollowed = std::uint64_t{1} << 20;
constexpr std::uint64_t kFollowedForEachEntry = 4;

// Calls `use` with the steps that have the same key, group by group, in rising order of the key.
// Steps are not in that order in memory, so each step and then its cycles are prefetched.
template <class Key, class Use>
void for_each_group(const std::vector<BranchStep>& steps, const std::vector<std::uint32_t>& numbers,
                    const Key& key, const Use& use) {
  using Keyed = std::pair<decltype(key(0)), std::uint32_t>;
  std::vector<Keyed> sorted;
  sorted.reserve(numbers.size());
  for (const std::uint32_t number : numbers) sorted.emplace_back(key(number), number);
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> group;
  for (std::size_t from = 0; from < sorted.size(); from += group.size()) {
    group.clear();
    for (std::size_t i = from; i < sorted.size() && sorted[i].first == sorted[from].first; ++i) {
      if (i + 2 * kAhead < sorted.size()) __builtin_prefetch(&steps[sorted[i + 2 * kAhead].second]);
      if (i + kAhead < sorted.size()) steps[sorted[i + kAhead].second].cycles.ask_for();
      group.push_back(sorted[i].second);
    }
    use(std::span<const std::uint32_t>(group));
  }
}

class RunMaker {
 public:
  RunMaker(const BranchStacks& stacks, Resolver& resolver, Blocks& to)
      : stacks_(stacks),
        resolver_(resolver),
        to_(to),
        run_of_(stacks.steps().size(), kNoRun),
        followed_left_(kAlwaysFollowed + kFollowedForEachEntry * stacks.entries()) {}

  void make() {
    std::vector<std::uint32_t> steps;
    for (std::uint32_t i = 0; i < stacks_.steps().size(); ++i)
      if (stacks_.steps()[i].range != kNoRun) steps.push_back(i);
    const auto key = [&](std::uint32_t number) {
      const BranchStep& step = stacks_.steps()[number];
      const BranchStacks::Mapped& mapped = stacks_.ranges()[step.range];
      return std::tuple(mapped.module, step.start - mapped.bias, step.from - mapped.bias);
    };
    to_.runs.reserve(steps.size());  // growing would take twice the memory
    for_each_group(stacks_.steps(), steps, key, [&](std::span<const std::uint32_t> group) {
      const auto& [module, start, end] = key(group.front());
      add({module, 0, start}, {module, 0, end}, group);
    });
    // Brief names are known only now: an overloaded function's name includes its parameters.
    for (std::size_t i = 0; i < functions_.size(); ++i)
      to_.runs[i].function = resolver_.function(functions_[i]).brief;
    find_basic_blocks();
    sort();
    keep_executions();
  }

  // The run of each step; kNoRun if it has none.
  const std::vector<std::uint32_t>& run_of() const { return run_of_; }

 private:
  RunCode* code_of(std::uint32_t module) {
    const auto [found, fresh] = codes_.try_emplace(module);
    if (fresh)
      if (symbols::Binary* binary = resolver_.binary_of(module)) found->second.emplace(*binary);
    return found->second ? &*found->second : nullptr;
  }

  void add(const CodePlace& start, const CodePlace& end, std::span<const std::uint32_t> steps) {
    const BranchStep& first = stacks_.steps()[steps.front()];
    CodeRun run;
    run.module = start.module;
    run.recorded_start = first.start;
    run.recorded_end = first.from;
    RunCode* code = code_of(start.module);
    run.start = code == nullptr ? first.start : resolver_.address_of(start);
    run.end = code == nullptr ? first.from : resolver_.address_of(end);
    RunCode::Walk walk;
    if (code != nullptr) {
      walk = code->walk(run.start, run.end, followed_left_);
      followed_left_ -= std::min(followed_left_, walk.followed);
    } else {
      walk.possible = run.end - run.start <= kLongestWithoutCode;
    }
    to_.not_followed += walk.cut ? 1 : 0;
    run.instructions = walk.instructions;
    for (const std::uint32_t number : steps) {
      const BranchStep& step = stacks_.steps()[number];
      const bool counts = step.timed || !to_.has_cycles;
      if (!walk.possible) {
        to_.skipped.impossible += counts ? step.count() : 0;
        continue;
      }
      run_of_[number] = static_cast<std::uint32_t>(to_.runs.size());
      if (!counts) continue;
      run.count += step.count();
      run.mispredicted += step.mispredicted;
      run.with_prediction += step.with_prediction;
      run.cycle_sum += step.cycles.sum();
      if (step.timed) step.cycles.add_to(run.cycles);
    }
    if (run.count == 0) {
      for (const std::uint32_t number : steps) run_of_[number] = kNoRun;
      return;
    }
    functions_.push_back(resolver_.function_of(start));
    const FunctionInfo& function = resolver_.function(functions_.back());
    if (function.known()) run.function_offset = resolver_.address_of(start) - function.start;
    to_.runs.push_back(std::move(run));
  }

  void find_basic_blocks() {
    for (auto& [module, code] : codes_)
      if (code) code->find_basic_blocks();
    for (CodeRun& run : to_.runs)
      if (run.instructions)
        run.basic_blocks = codes_.at(run.module)->basic_blocks(run.start, run.end);
  }

  // Most cycles first; if equal, most executions first; if equal, in the order of their addresses.
  void sort() {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> order;
    order.reserve(to_.runs.size());
    for (const CodeRun& run : to_.runs)
      order.emplace_back(~run.cycle_sum, ~run.count, static_cast<std::uint32_t>(order.size()));
    std::ranges::sort(order);
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t at = 0; at < order.size(); ++at) place[std::get<2>(order[at])] = at;
    for (std::uint32_t& run : run_of_)
      if (run != kNoRun) run = place[run];
    // In place: runs take much memory.
    for (std::uint32_t at = 0; at < place.size(); ++at)
      while (place[at] != at) {
        const std::uint32_t to = place[at];
        std::swap(to_.runs[at], to_.runs[to]);
        std::swap(place[at], place[to]);
      }
  }

  // Copies the kept executions into their runs. Steps are not in a cache: the next stack's are
  // prefetched.
  void keep_executions() {
    const auto& kept_stacks = stacks_.kept_stacks();
    for (std::uint32_t stack = 0; stack < kept_stacks.size(); ++stack) {
      if (stack + 1 < kept_stacks.size())
        for (const auto& next : kept_stacks[stack + 1]) {
          __builtin_prefetch(&run_of_[next.step]);
          __builtin_prefetch(&stacks_.steps()[next.step]);
        }
      for (const BranchCounts::KeptEntry& each : kept_stacks[stack]) {
        const std::uint32_t run = run_of_[each.step];
        if (run == kNoRun || (to_.has_cycles && each.cycles == 0)) continue;
        to_.runs[run].kept.push_back({stack, each.cycles, each.mispredicted, each.has_prediction});
      }
      if (stacks_.by_cycles()) count_evenly(kept_stacks[stack]);
    }
    to_.stacks_kept = kept_stacks.size();
  }

  // See CodeRun::even_executions.
  void count_evenly(std::span<const BranchCounts::KeptEntry> stack) {
    const auto older = stack.first(stack.size() / 2);
    const auto newer = stack.subspan(older.size());
    for (const auto& [half, other] : {std::pair(older, newer), std::pair(newer, older)}) {
      double around = 0;
      for (const BranchCounts::KeptEntry& each : other) around += each.cycles;
      if (around == 0) continue;
      for (const BranchCounts::KeptEntry& each : half) {
        const std::uint32_t run = run_of_[each.step];
        if (run == kNoRun || each.cycles == 0) continue;
        to_.runs[run].even_executions += 1 / around;
        to_.runs[run].even_cycles += each.cycles / around;
      }
    }
  }

  const BranchStacks& stacks_;
  Resolver& resolver_;
  Blocks& to_;
  std::vector<FunctionId> functions_;  // one for each of to_.runs
  std::vector<std::uint32_t> run_of_;
  std::uint64_t followed_left_;                            // instructions
  std::map<std::uint32_t, std::optional<RunCode>> codes_;  // by module
};

std::string no_stacks(const BranchStacks& stacks) {
  if (stacks.call_stacks() > 0)
    return fmt::format(
        "the stacks of all {} samples have calls that had not returned (--call-graph lbr), not the "
        "last branches",
        stacks.call_stacks());
  return fmt::format("no sample has a branch stack, of {} in the recording", stacks.all_samples());
}

}  // namespace

std::vector<BranchEdge> branches_of(const BranchStacks& stacks) {
  std::vector<std::uint32_t> steps(stacks.steps().size());
  std::iota(steps.begin(), steps.end(), 0);
  const auto key = [&](std::uint32_t step) {
    return std::pair(stacks.steps()[step].from, stacks.steps()[step].to);
  };
  std::vector<BranchEdge> edges;
  for_each_group(stacks.steps(), steps, key, [&](std::span<const std::uint32_t> group) {
    BranchEdge& edge = edges.emplace_back();
    std::tie(edge.from, edge.to) = key(group.front());
    for (const std::uint32_t step : group) {
      const BranchStep& of = stacks.steps()[step];
      edge.count += of.count();
      edge.mispredicted += of.mispredicted;
      edge.with_prediction += of.with_prediction;
      if (of.timed) of.cycles.add_to(edge.cycles);
    }
  });
  std::ranges::stable_sort(edges, std::ranges::greater(), &BranchEdge::count);
  return edges;
}

Result<Blocks> blocks_of(const BranchStacks& stacks, const perfdata::Description& recording,
                         Resolver& resolver, LoopsAndChains loops_and_chains) {
  if (stacks.samples() == 0)
    return failure(no_stacks(stacks), "record with 'tacho record -b' or 'perf record -b'");
  Blocks made;
  made.event = stacks.event();
  made.cpu = recording.cpu;
  made.host = recording.host;
  made.command = recording.command;
  made.architecture = recording.architecture;
  made.samples = stacks.samples();
  made.entries = stacks.entries();
  made.not_counted = stacks.not_counted();
  made.overlapping = stacks.overlapping();
  made.skipped = stacks.skipped();
  made.every_branch = stacks.every_branch();
  made.has_cycles = std::ranges::any_of(stacks.steps(), &BranchStep::timed);
  if (!made.has_cycles) made.skipped.impossible = stacks.impossible_untimed();
  if (made.every_branch) {
    RunMaker maker(stacks, resolver, made);
    maker.make();
    if (loops_and_chains == LoopsAndChains::wanted)
      find_loops_and_chains(stacks, maker.run_of(), made);
  }
  std::vector<bool> has_code(stacks.modules().size());
  for (const CodeRun& run : made.runs)
    has_code[run.module] = resolver.binary_of(run.module) != nullptr;
  for (std::uint32_t i = 0; i < has_code.size(); ++i)
    made.modules.push_back({resolver.module_name(i), stacks.modules()[i].path,
                            stacks.modules()[i].build_id, has_code[i]});
  return made;
}

}  // namespace tacho
