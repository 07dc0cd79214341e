#include "blocks/loops_and_chains.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stats/clusters.hpp"
#include "stats/share.hpp"

namespace tacho {
namespace {

constexpr std::size_t kSeeds = 64;        // paths are followed from this many of the hottest runs
constexpr std::size_t kLongestPath = 16;  // runs of a path; a stack has about 32 entries
constexpr std::uint64_t kFewest = 2;      // a path must be seen at least this often
constexpr double kLeastTrips = 1.5;       // a loop must have at least as many iterations per entry

using Path = std::vector<std::uint32_t>;  // runs
using Place = std::uint32_t;  // index of a step: 16384 kept stacks have fewer than 2^32 entries

// One executed run of a kept stack.
struct Step {
  std::uint64_t came_from = 0;  // source of the branch that led to it, minus the run's start
  std::uint32_t run = kNoRun;
  std::uint16_t cycles = 0;
  bool newest = false;  // it is the newest of its stack
};

// Consecutive steps; two slices are equal if their runs are.
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

class PathFinder {
 public:
  PathFinder(const BranchStacks& stacks, std::span<const std::uint32_t> run_of, Blocks& to)
      : to_(to), seeds_(std::min(kSeeds, to.runs.size())), taken_(seeds_) {
    std::size_t steps = 1;
    for (const auto& stack : stacks.kept_stacks()) steps += 1 + stack.size();
    steps_.reserve(steps);  // growing it step by step would copy it
    for (std::size_t i = 0; i < stacks.kept_stacks().size(); ++i) {
      if (i + 1 < stacks.kept_stacks().size())  // not in a cache: prefetch it meanwhile
        for (const auto& next : stacks.kept_stacks()[i + 1]) {
          __builtin_prefetch(&run_of[next.step]);
          __builtin_prefetch(&stacks.steps()[next.step]);
        }
      const auto& stack = stacks.kept_stacks()[i];
      begins_.push_back(static_cast<Place>(steps_.size()));
      steps_.emplace_back();  // an empty step between stacks ends every path
      std::uint64_t last = 0;
      for (const BranchCounts::KeptEntry& each : stack) {
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
      loop.round = count_path(from_its_head(round));
      if (loop.round.count < kFewest) continue;  // from its head on, the whole round was not seen
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
      to_.chains.push_back(count_path(chain));
    }
    std::ranges::stable_sort(to_.chains, std::ranges::greater(), weight);
  }

 private:
  // Finds the places of each run in steps_.
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

  bool is_at(const Path& path, std::size_t place) const {
    return std::ranges::equal(
        path, std::span(steps_).subspan(place, std::min(path.size(), steps_.size() - place)), {},
        {}, &Step::run);
  }

  RunChain count_path(const Path& path) const {
    RunChain chain;
    chain.runs.assign(path.begin(), path.end());
    // The hottest run of the path leads to all its places. A path that repeats itself is counted
    // each time that it begins.
    const std::uint32_t first = *std::ranges::min_element(path);
    const auto before = static_cast<std::size_t>(std::ranges::find(path, first) - path.begin());
    for (const std::size_t place : places(first)) {
      if (place < before || !is_at(path, place - before)) continue;
      ++chain.count;
      std::uint64_t cycles = 0;
      bool all_timed = true;
      for (const Step& step : std::span(steps_).subspan(place - before, path.size())) {
        cycles += step.cycles;
        all_timed = all_timed && step.cycles != 0;
      }
      if (!all_timed) continue;
      chain.cycles.add(cycles);
      chain.cycle_sum += cycles;
    }
    return chain;
  }

  // The path from the seed until it comes again. Empty if that is rare.
  Path most_frequent_round(std::uint32_t seed) const {
    std::unordered_map<Slice, std::uint64_t, Hash, Equal> rounds;
    for (const std::size_t place : places(seed)) {
      std::size_t next = place + 1;
      while (steps_[next].run != kNoRun && steps_[next].run != seed && next - place < kLongestPath)
        ++next;
      if (steps_[next].run == seed) ++rounds[std::span(steps_).subspan(place, next - place)];
    }
    // Among equally frequent ones, the first that was seen.
    const auto most = std::ranges::max_element(rounds, {}, [this](const auto& each) {
      return std::pair(each.second, steps_.data() - each.first.data());
    });
    if (most == rounds.end() || most->second < kFewest) return {};
    Path path(most->first.size());
    std::ranges::transform(most->first, path.begin(), &Step::run);
    return path;
  }

  // Rotates the round: it then begins with the run that the loop jumps back to. Candidates are
  // targets of backward branches within a function. The one of the outermost function is taken, and
  // there the one with the lowest address.
  Path from_its_head(Path round) const {
    struct Head {
      int depth;
      std::uint64_t start;
      std::size_t at;
    };
    std::vector<Head> heads;
    int depth = 0;
    for (std::size_t at = 0; at < round.size(); ++at) {
      const CodeRun& run = to_.runs[round[at]];
      const CodeRun& before = to_.runs[round[at == 0 ? round.size() - 1 : at - 1]];
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

  // The address of the last instruction of a round in the function of its head.
  std::uint64_t last_address(const std::vector<std::size_t>& round) const {
    const CodeRun& head = to_.runs[round.front()];
    std::uint64_t last = head.end;
    for (const std::size_t each : round)
      if (to_.runs[each].module == head.module && to_.runs[each].function == head.function)
        last = std::max(last, to_.runs[each].end);
    return last;
  }

  // For each stack, the iterations of the loop as draws, and how often it was entered as their sum.
  // The loop's code reaches from its first instruction to the last of its runs' ends in the same
  // function. A run enters the loop if it passes through that code, and the branch to it came
  // neither from that code nor from a run of the loop in a function that the loop calls.
  std::vector<Cluster> iterations_by_stack(const std::vector<std::size_t>& round) const {
    const CodeRun& head = to_.runs[round.front()];
    const std::uint64_t last = last_address(round);
    const auto within = [&](std::uint64_t address) {
      return head.start <= address && address <= last;
    };
    std::vector<Cluster> stacks(begins_.size());
    for (std::size_t each = 0; each < to_.runs.size(); ++each) {
      const CodeRun& run = to_.runs[each];
      if (run.module != head.module || run.end < head.start || run.start > last) continue;
      for (const Place place : places(each)) {
        const Step& before = steps_[place - 1];
        // The origin of a stack's oldest run is not known. A newest entry that repeats the next one
        // is left out, and newest entries of loops often do. So no newest entry is counted.
        if (before.run == kNoRun || steps_[place].newest) continue;
        Cluster& stack = stacks[stack_of(place)];
        if (run.start <= head.start) ++stack.draws;
        const bool from_loop = within(steps_[place].came_from + run.start) ||
                               std::ranges::any_of(round, [&](std::size_t of) {
                                 return belongs(before.run, of, head);
                               });
        if (!from_loop) ++stack.sum;
      }
    }
    return stacks;
  }

  void count_trips(RunLoop& loop) const {
    const std::vector<Cluster> stacks = iterations_by_stack(loop.round.runs);
    double iterations = 0, entered = 0;
    for (const Cluster& stack : stacks) {
      iterations += stack.draws;
      entered += stack.sum;
    }
    loop.iterations = static_cast<std::uint64_t>(iterations);
    loop.entered = static_cast<std::uint64_t>(entered);
    if (loop.iterations == 0) return;
    // If it was never seen to be entered, iterations are taken as independent.
    const double draws =
        loop.entered == 0
            ? iterations
            : independent_draws(iterations, cluster_effect(stacks, entered, DrawnFrom::this_run));
    const ShareInterval share = wilson95(std::min(1.0, entered / iterations), draws);
    loop.trips_low = 1 / share.high;
    if (loop.entered == 0) return;
    loop.trips = iterations / entered;
    loop.trips_high = 1 / share.low;
  }

  std::size_t stack_of(Place place) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, place) - begins_.begin()) - 1;
  }

  // Whether an executed run is this run of a round. If that run is in a function that the loop
  // calls, any run of that function counts.
  bool belongs(std::uint32_t executed, std::size_t to_run, const CodeRun& head) const {
    if (executed == kNoRun || executed == to_run) return executed == to_run;
    const CodeRun& run = to_.runs[executed];
    const CodeRun& of = to_.runs[to_run];
    return !of.function.empty() && run.function == of.function && run.module == of.module &&
           (of.function != head.function || of.module != head.module);
  }

  // The seed, extended by runs that follow or precede it in more than half of the cases.
  Path extended(std::uint32_t seed) const {
    Path path{seed};
    // Places of the seed at which the whole path was seen.
    std::vector<Place> left(places(seed).begin(), places(seed).end());
    while (const auto next = likely(path, left, std::ssize(path))) path.push_back(*next);
    for (std::ptrdiff_t before = 1;; ++before) {
      const auto next = likely(path, left, -before);  // `left` has places of the seed
      if (!next) return path;
      path.insert(path.begin(), *next);
    }
  }

  // The run that is at this distance from more than half of the places. The other places are
  // removed.
  std::optional<std::uint32_t> likely(const Path& path, std::vector<Place>& places,
                                      std::ptrdiff_t distance) const {
    std::map<std::uint32_t, std::uint64_t> counts;
    const auto run_at = [&](Place place) {
      return steps_[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(place) + distance)].run;
    };
    for (const Place place : places) ++counts[run_at(place)];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    const auto& [run, count] = *most;
    if (run == kNoRun || count < kFewest || 2 * count <= places.size() ||
        path.size() == kLongestPath || std::ranges::find(path, run) != path.end())
      return std::nullopt;
    std::erase_if(places, [&](Place place) { return run_at(place) != run; });
    return run;
  }

  Blocks& to_;
  std::size_t seeds_;
  std::vector<Step> steps_;
  std::vector<Place> begins_;  // begin of each stack
  std::vector<Place> places_;
  std::vector<std::size_t> first_place_;
  std::vector<bool> taken_;  // by seed: it is in a path
};

}  // namespace

void find_loops_and_chains(const BranchStacks& stacks, std::span<const std::uint32_t> run_of,
                           Blocks& to) {
  PathFinder finder(stacks, run_of, to);
  finder.find_loops();
  finder.find_chains();
}

}  // namespace tacho
