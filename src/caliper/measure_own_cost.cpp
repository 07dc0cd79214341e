#include "caliper/measure_own_cost.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "stats/quantile.hpp"
#include "tacho/caliper.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

constexpr std::size_t kBatches = 15;
constexpr std::size_t kExecutions = 16;

// The cost in one quantity, from several batches.
struct Trials {
  using Batches = std::array<std::uint64_t, kBatches>;
  Batches inside{};
  Batches outside{};
  Batches unmeasured{};

  // `inner` is the count of one execution. `around` is the count around a batch of executions, and
  // `recursive` the count around a batch of executions that were not measured.
  void add(std::size_t batch, std::uint64_t inner, std::uint64_t around, std::uint64_t recursive) {
    inside[batch] = inner;
    outside[batch] = (around - std::min(around, inner)) / kExecutions;
    unmeasured[batch] = (recursive - std::min(recursive, inner)) / kExecutions;
  }
  OwnCost cost() const {
    return {.inside = usual(inside), .outside = usual(outside), .unmeasured = usual(unmeasured)};
  }

 private:
  static std::uint64_t usual(const Batches& batches) {
    std::vector<double> values(batches.begin(), batches.end());
    return static_cast<std::uint64_t>(median(values));
  }
};

// A batch of empty executions, and the counts around it.
struct Batch {
  std::uint64_t ticks = 0;
  Snapshot before;
  Snapshot after;

  Batch(RegionSite& site, LiveCounters* live) {
    if (live != nullptr) live->read(before);
    const std::uint64_t begun = ordered_ticks();
    for (std::size_t i = 0; i < kExecutions; ++i) const Region empty(site);
    ticks = ordered_ticks() - begun;
    if (live != nullptr) live->read(after);
  }
  std::uint64_t counted(std::uint32_t event) const {
    return after.values[event] - before.values[event];
  }
};

// Measures the cost in ticks and in the events that the active set counts. The costs in other
// events stay as they are.
void measure_own_cost(Thread& thread, RegionSite& site, std::uint32_t region) {
  LiveCounters* const live = thread.live.get();
  // The first executions move the record.
  const auto sum_of = [&](std::size_t quantity) {
    return thread.records[region]->figures(quantity).sum.get();
  };
  Trials ticks;
  std::vector<Trials> events(thread.counted.size());
  std::vector<std::uint64_t> sums(events.size());
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const Batch measured(site, live);
    const Batch recursive = [&] {
      const Region outer(site);
      return Batch(site, live);
    }();
    // One more execution, for the count inside it.
    const std::uint64_t ticks_sum = sum_of(0);
    for (std::size_t e = 0; e < events.size(); ++e) sums[e] = sum_of(1 + thread.counted[e].event);
    {
      const Region empty(site);
    }
    ticks.add(batch, sum_of(0) - ticks_sum, measured.ticks, recursive.ticks);
    for (std::size_t e = 0; e < events.size(); ++e) {
      const std::uint32_t event = thread.counted[e].event;
      events[e].add(batch, sum_of(1 + event) - sums[e], measured.counted(event),
                    recursive.counted(event));
    }
  }
  thread.cost = ticks.cost();
  for (std::size_t e = 0; e < events.size(); ++e) {
    const auto set = live->set_of(thread.counted[e].event);
    if (!set || *set == live->active_set()) thread.counted[e].cost = events[e].cost();
  }
}

}  // namespace

bool OwnCosts::give_to(Thread& thread) const noexcept {
  bool all = true;
  thread.cost = ticks_;
  for (Counted& counted : thread.counted) {
    const auto known = std::ranges::find(events_, counted.event, &Counted::event);
    if (known != events_.end())
      counted.cost = known->cost;
    else
      all = false;
  }
  return all;
}

// Executes an empty region with the code, the record and the caches of later executions. The
// medians exclude interrupts and the first executions, which are slow.
void measure_own_costs(Thread& thread, std::uint32_t region, std::string_view name) {
  RegionSite site(name);
  const std::size_t sets = thread.live == nullptr ? 0 : thread.live->sets();
  for (std::size_t set = 0; set < std::max<std::size_t>(sets, 1); ++set) {
    if (set > 0) thread.live->turn();
    if (thread.live != nullptr) thread.live->hold_turns();
    measure_own_cost(thread, site, region);
  }
  if (sets > 1) thread.live->turn();
  clear_record(thread.records[region]);
  thread.paths->clear();
  if (thread.trace != nullptr) thread.trace->room.clear();
}

}  // namespace tacho::caliper
