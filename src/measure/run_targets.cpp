#include "measure/run_targets.hpp"

#include "measure/fill_measurement.hpp"
#include "pmu/targets.hpp"

namespace tacho {

Result<RunTargets> RunTargets::open(Pmu& pmu, const Plan& plan, std::span<const NamedTarget> wanted,
                                    Start start, const Turns& first) {
  std::vector<std::size_t> sets;
  for (const Schedule::Turn& turn : first) sets.push_back(turn.set);
  RunTargets opened;
  Error last;
  for (const NamedTarget& each : wanted) {
    auto counters = TargetCounters::open(pmu, plan, each.target, start, sets);
    if (!counters) {
      last = counters.error();  // a thread that has ended since, or a CPU that went offline
      continue;
    }
    opened.counters_.push_back(std::move(*counters));
    opened.targets_.push_back(each);
  }
  if (opened.counters_.empty()) return std::unexpected(last);
  opened.always_.resize(opened.counters_.size());
  return opened;
}

std::vector<std::optional<Error>> RunTargets::refused(const Plan& plan) const {
  std::vector<std::optional<Error>> refused = plan.refused;
  for (std::size_t target = 0; target < counters_.size(); ++target) {
    const std::optional<int> cpu = targets_[target].cpu();
    for (std::size_t i = 0; i < refused.size(); ++i)
      if (!refused[i] && (!cpu || counts_on(plan.events[i], *cpu)))
        refused[i] = counters_[target].refused()[i];
  }
  return refused;
}

Result<void> RunTargets::start(const Turns& turns) {
  for (TargetCounters& target : counters_) {
    TACHO_TRY(target.start_always());
    for (const Schedule::Turn& turn : turns)
      if (target.opened(turn.set)) TACHO_TRY(target.turn_on(turn.set));
  }
  return {};
}

Result<void> RunTargets::stop_always() {
  Result<void> done;
  for (TargetCounters& target : counters_)
    if (auto stopped = target.stop_always(); !stopped && done) done = stopped;
  return done;
}

Result<void> RunTargets::read_always(std::vector<Reading>& sum) {
  Result<void> done;
  sum.clear();
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    if (auto read = counters_[i].read_always(always_[i]); !read && done) done = read;
    if (!targets_[i].in_another) add(sum, always_[i]);
  }
  return done;
}

}  // namespace tacho
