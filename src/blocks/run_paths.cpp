#include "blocks/run_paths.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stats/clusters.hpp"

namespace tacho {
namespace {

constexpr std::size_t kSeeds = 64;        // the hottest runs, from which paths are followed
constexpr std::size_t kLongestPath = 16;  // runs of a path; a stack has 32 entries or so
constexpr std::uint64_t kFewest = 2;      // a path that was seen once is none
constexpr double kLeastTrips = 1.5;       // a loop that hardly ever goes round again is none

using Path = std::vector<std::uint32_t>;  // runs
using Place = std::uint32_t;              // in the steps: the kept stacks are some ten thousand

// One executed run of a kept stack.
struct Step {
  std::uint64_t came_from = 0;  // the source of the branch that led to it, less the run's start
  std::uint32_t run = kNoRun;
  std::uint16_t cycles = 0;
  bool newest = false;  // of its stack
};

// Some steps that follow each other, compared by their runs.
using Slice = std::span<const Step>;
struct Equal {
  bool operator()(Slice a, Slice b) const {
    return std::ranges::equal(a, b, {}, &Step::run, &Step::run);
  }
};
struct Hash {
  std::size_t operator()(Slice slice) const {
    std::uint64_t sum = 0;
    for (const Step& step : slice) sum = (sum ^ step.run) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(sum ^ (sum >> 32));
  }
};

class Follower {
 public:
  Follower(const BranchStacks& stacks, std::span<const std::uint32_t> run_of, Blocks& to)
      : to_(to), seeds_(std::min(kSeeds, to.runs.size())), taken_(seeds_) {
    std::size_t steps = 1;
    for (const auto& followed : stacks.followed()) steps += 1 + followed.size();
    steps_.reserve(steps);  // many: grown step by step they would be copied, too
    for (std::size_t i = 0; i < stacks.followed().size(); ++i) {
      if (i + 1 < stacks.followed().size())  // in no cache: asked for while this one is taken
        for (const auto& next : stacks.followed()[i + 1]) {
          __builtin_prefetch(&run_of[next.step]);
          __builtin_prefetch(&stacks.steps()[next.step]);
        }
      const auto& followed = stacks.followed()[i];
      begins_.push_back(static_cast<Place>(steps_.size()));
      steps_.emplace_back();  // paths end between stacks
      std::uint64_t last = 0;
      for (const BranchCounts::Followed& each : followed) {
        const BranchStep& step = stacks.steps()[each.step];
        steps_.push_back({last - step.start, run_of[each.step], each.cycles, false});
        last = step.from;
      }
      steps_.back().newest = true;
    }
    steps_.emplace_back();
    find_places();
  }

  void find_loops() {
    for (std::uint32_t seed = 0; seed < seeds_; ++seed) {
      if (taken_[seed]) continue;
      const Path round = most_frequent_round(seed);
      if (round.empty()) continue;
      RunLoop loop;
      loop.round = seen(from_its_head(round));
      if (loop.round.count < kFewest) continue;  // from there on it was not seen whole
      count_trips(loop);
      if (loop.trips && *loop.trips < kLeastTrips) continue;
      take(round);
      to_.loops.push_back(std::move(loop));
    }
    std::ranges::stable_sort(to_.loops, std::ranges::greater(),
                             [](const RunLoop& loop) { return weight(loop.round); });
  }

  void find_chains() {
    for (std::uint32_t seed = 0; seed < seeds_; ++seed) {
      if (taken_[seed]) continue;
      const Path chain = extended(seed);
      if (chain.size() < 2) continue;
      take(chain);
      to_.chains.push_back(seen(chain));
    }
    std::ranges::stable_sort(to_.chains, std::ranges::greater(), weight);
  }

 private:
  // Where each run stands in steps_, run by run.
  void find_places() {
    first_place_.assign(to_.runs.size() + 1, 0);
    for (const Step& step : steps_)
      if (step.run != kNoRun) ++first_place_[step.run + 1];
    std::partial_sum(first_place_.begin(), first_place_.end(), first_place_.begin());
    places_.resize(first_place_.back());
    std::vector<std::size_t> next = first_place_;
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (steps_[i].run != kNoRun) places_[next[steps_[i].run]++] = static_cast<Place>(i);
  }
  std::span<const Place> places(std::size_t run) const {
    return std::span(places_).subspan(first_place_[run], first_place_[run + 1] - first_place_[run]);
  }

  static std::pair<std::uint64_t, std::uint64_t> weight(const RunChain& chain) {
    return {chain.cycle_sum, chain.count * chain.runs.size()};
  }

  void take(const Path& path) {
    for (const std::uint32_t run : path)
      if (run < seeds_) taken_[run] = true;
  }

  bool stands_at(const Path& path, std::size_t place) const {
    return std::ranges::equal(
        path, std::span(steps_).subspan(place, std::min(path.size(), steps_.size() - place)), {},
        {}, &Step::run);
  }

  RunChain seen(const Path& path) const {
    RunChain chain;
    chain.runs.assign(path.begin(), path.end());
    // A path that repeats itself is counted each time that it begins.
    const std::uint32_t first = *std::ranges::min_element(path);
    const auto before = static_cast<std::size_t>(std::ranges::find(path, first) - path.begin());
    for (const std::size_t place : places(first)) {
      if (place < before || !stands_at(path, place - before)) continue;
      ++chain.count;
      std::uint64_t cycles = 0;
      bool all_told = true;
      for (const Step& step : std::span(steps_).subspan(place - before, path.size())) {
        cycles += step.cycles;
        all_told = all_told && step.cycles != 0;
      }
      if (!all_told) continue;
      chain.cycles.add(cycles);
      chain.cycle_sum += cycles;
    }
    return chain;
  }

  // From the seed on until it comes again. Empty where that is rare.
  Path most_frequent_round(std::uint32_t seed) const {
    std::unordered_map<Slice, std::uint64_t, Hash, Equal> rounds;
    for (const std::size_t place : places(seed)) {
      std::size_t next = place + 1;
      while (steps_[next].run != kNoRun && steps_[next].run != seed && next - place < kLongestPath)
        ++next;
      if (steps_[next].run == seed) ++rounds[std::span(steps_).subspan(place, next - place)];
    }
    // Of equally frequent ones the first that was seen.
    const auto most = std::ranges::max_element(rounds, {}, [this](const auto& each) {
      return std::pair(each.second, steps_.data() - each.first.data());
    });
    if (most == rounds.end() || most->second < kFewest) return {};
    Path path(most->first.size());
    std::ranges::transform(most->first, path.begin(), &Step::run);
    return path;
  }

  // Begins with the run that the loop jumps back to: of the targets of backward branches within a
  // function that of the outermost function, and the first one there.
  Path from_its_head(Path round) const {
    struct Head {
      int depth;
      std::uint64_t start;
      std::size_t at;
    };
    std::vector<Head> heads;
    int depth = 0;
    for (std::size_t at = 0; at < round.size(); ++at) {
      const Run& run = to_.runs[round[at]];
      const Run& before = to_.runs[round[at == 0 ? round.size() - 1 : at - 1]];
      const bool same = run.module == before.module && run.function == before.function;
      if (at > 0 && !same) depth += run.function_offset == 0 ? 1 : -1;  // a call, or a return
      if (same && run.start <= before.end) heads.push_back({depth, run.start, at});
    }
    const auto head = std::ranges::min_element(
        heads, {}, [](const Head& each) { return std::pair(each.depth, each.start); });
    if (head != heads.end())
      std::ranges::rotate(round, round.begin() + static_cast<std::ptrdiff_t>(head->at));
    return round;
  }

  // The loop's code reaches from its first instruction to the last of its runs' ends in the same
  // function. It is entered by a run that passes through it and was not reached from it, or from
  // one of the loop's own runs in what it calls.
  void count_trips(RunLoop& loop) const {
    const std::vector<std::size_t>& round = loop.round.runs;
    const Run& first = to_.runs[round.front()];
    std::uint64_t last = first.end;
    for (const std::size_t each : round)
      if (to_.runs[each].module == first.module && to_.runs[each].function == first.function)
        last = std::max(last, to_.runs[each].end);
    const auto within = [&](std::uint64_t address) {
      return first.start <= address && address <= last;
    };
    std::vector<Cluster> stacks(begins_.size());  // of iterations, those at which it was entered
    for (std::size_t each = 0; each < to_.runs.size(); ++each) {
      const Run& run = to_.runs[each];
      if (run.module != first.module || run.end < first.start || run.start > last) continue;
      for (const Place place : places(each)) {
        const Step& before = steps_[place - 1];
        // Of a stack's first run it is not known where it came from; its newest is left out where
        // it repeats the one before, as those of loops do: then the others are not to count either.
        if (before.run == kNoRun || steps_[place].newest) continue;
        Cluster& stack = stacks[stack_of(place)];
        if (run.start <= first.start) ++stack.draws;
        const bool from_loop = within(steps_[place].came_from + run.start) ||
                               std::ranges::any_of(round, [&](std::size_t of) {
                                 return belongs(before.run, of, first);
                               });
        if (!from_loop) ++stack.sum;
      }
    }
    double iterations = 0, entered = 0;
    for (const Cluster& stack : stacks) {
      iterations += stack.draws;
      entered += stack.sum;
    }
    loop.iterations = static_cast<std::uint64_t>(iterations);
    loop.entered = static_cast<std::uint64_t>(entered);
    if (loop.iterations == 0) return;
    // Entries that were never seen are taken to come one by one.
    const double draws = loop.entered == 0
                             ? iterations
                             : independent_draws(iterations, cluster_effect(stacks, entered));
    const ShareInterval share = wilson95(std::min(1.0, entered / iterations), draws);
    loop.trips_low = 1 / share.high;
    if (loop.entered == 0) return;
    loop.trips = iterations / entered;
    loop.trips_high = 1 / share.low;
  }

  std::size_t stack_of(Place place) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, place) - begins_.begin()) - 1;
  }

  // Whether a run that was executed is this one of a round, or of what it calls there.
  bool belongs(std::uint32_t executed, std::size_t to_run, const Run& head) const {
    if (executed == kNoRun || executed == to_run) return executed == to_run;
    const Run& run = to_.runs[executed];
    const Run& of = to_.runs[to_run];
    return !of.function.empty() && run.function == of.function && run.module == of.module &&
           (of.function != head.function || of.module != head.module);
  }

  // The seed, and what follows and precedes it more often than not.
  Path extended(std::uint32_t seed) const {
    Path path{seed};
    // Of the seed, where all of the path stands.
    std::vector<Place> left(places(seed).begin(), places(seed).end());
    while (const auto next = likely(path, left, path.size())) path.push_back(*next);
    for (std::size_t before = 1;; ++before) {
      // A place of the path's first run is `before` places ahead of the seed's.
      const auto next = likely(path, left, -before);
      if (!next) return path;
      path.insert(path.begin(), *next);
    }
  }

  // The run that stands so far from more than half of the places, which are then the only ones.
  std::optional<std::uint32_t> likely(const Path& path, std::vector<Place>& places,
                                      std::size_t distance) const {
    std::map<std::uint32_t, std::uint64_t> counts;
    for (const std::size_t place : places) ++counts[steps_[place + distance].run];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    const auto& [run, count] = *most;
    if (run == kNoRun || count < kFewest || 2 * count <= places.size() ||
        path.size() == kLongestPath || std::ranges::find(path, run) != path.end())
      return std::nullopt;
    std::erase_if(places, [&](std::size_t place) { return steps_[place + distance].run != run; });
    return run;
  }

  Blocks& to_;
  std::size_t seeds_;
  std::vector<Step> steps_;
  std::vector<Place> begins_;  // of the stacks
  std::vector<Place> places_;
  std::vector<std::size_t> first_place_;
  std::vector<bool> taken_;  // by seed: it is in a path
};

}  // namespace

void follow_runs(const BranchStacks& stacks, std::span<const std::uint32_t> run_of, Blocks& to) {
  Follower follower(stacks, run_of, to);
  follower.find_loops();
  follower.find_chains();
}

}  // namespace tacho
