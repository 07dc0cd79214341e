#include "doctor/prove/turns.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <ctime>
#include <vector>

#include "base/cpus.hpp"
#include "doctor/prove/clocks.hpp"
#include "doctor/prove/loops.hpp"
#include "estimate/summarise.hpp"
#include "measure/measure.hpp"
#include "pmu/trust/known_loop.hpp"
#include "process/stepped_child.hpp"
#include "process/supervisor.hpp"

namespace tacho::prove {
namespace {

constexpr std::size_t kRuns = 5;
constexpr std::size_t kFewestHits = 3;
// The count that is always on begins and ends a little earlier or later than the turns. Intervals
// of steady work can be narrower than this part of it.
constexpr double kEdges = 0.001;
constexpr double kRunSeconds = 0.3;   // CPU time of one run
constexpr double kLongestRun = 1.0;   // seconds, where others have the CPU
constexpr long kBefore = 20'000'000;  // ns in which tacho turns its counters on

// Steady work that all events of these checks count. It has a CPU of its own, if there are two:
// tacho is kept to the last one.
void work_steadily(int cpu) {
  keep_to_cpu(0, cpu);
  const timespec before{.tv_sec = 0, .tv_nsec = kBefore};
  ::nanosleep(&before, nullptr);
  const double until = cpu_seconds() + kRunSeconds;
  const double latest = wall_seconds() + kLongestRun;
  while (cpu_seconds() < until && wall_seconds() < latest) {
    run_known_loop(20'000);
    touch_pages(8);
  }
}

// Counts one run of a child in turns, and beside that the first event always. `truth` is open on
// the child.
Result<EstimatedRun> run_once(const Bench& bench, const Plan& plan, Supervisor& supervisor,
                              SteppedChild& child, const Opened& truth, std::uint64_t seed) {
  MeasureRequest request;
  request.targets.pids = {child.pid()};
  request.seed = seed;
  Result<void> begun;
  Listener listener;
  listener.begun = [&](const Measurement&) {
    begun = truth.group->enable();
    if (begun) begun = child.begin_step();
    child.let_end();
  };
  const Measured measured = TACHO_TRY(measure(bench.pmu, supervisor, plan, request, listener));
  TACHO_TRY(begun);
  std::vector<Reading> always(truth.events.size());
  TACHO_TRY(truth.group->read(always));
  if (always.front().running_ns < always.front().enabled_ns)
    return failure("the event that is counted always had a counter only part of the time");
  const EventSummary event = summarise(measured.whole, {}).events.front();
  EstimatedRun run{.estimate = event.estimate, .ci95 = event.ci95, .truth = {}};
  run.truth = static_cast<double>(always.front().value);
  if (event.status != Status::estimated) run.ci95.reset();
  return run;
}

std::vector<EventGroup> groups_in_turns(const Bench& bench) {
  std::vector<EventGroup> groups;
  const KnownWork& work = work_for(bench.subject);
  for (const std::string_view name : {work.event, work.beside})
    if (auto event = bench.pmu.resolve(bench.subject.user_event(name)))
      groups.push_back({std::move(*event)});
  if (auto faults = bench.pmu.resolve("page-faults"); bench.subject.core && faults)
    groups.push_back({std::move(*faults)});
  return groups;
}

}  // namespace

Proof judge_turns(std::span<const EstimatedRun> runs) {
  std::size_t hits = 0;
  double widest = 0;
  double farthest = 0;
  for (const EstimatedRun& run : runs) {
    if (!run.estimate || !run.ci95 || run.truth <= 0)
      return not_proved("a run gave no interval: too few turns, or an event that did not count");
    const double error = std::abs(*run.estimate - run.truth);
    hits += error <= *run.ci95 + kEdges * run.truth ? 1U : 0U;
    widest = std::max(widest, *run.ci95 / run.truth);
    farthest = std::max(farthest, error / run.truth);
  }
  const auto all = static_cast<double>(runs.size());
  const Figure figure{.name = "intervals that hold the truth",
                      .measured = static_cast<double>(hits),
                      .expected = all,
                      .tolerance = all - static_cast<double>(kFewestHits),
                      .unit = "intervals"};
  return judged(fmt::format("{} of {} intervals hold the truth ({} must); the widest was ± {:.2g} "
                            "%, the largest error {:.2g} %",
                            hits, runs.size(), kFewestHits, 100 * widest, 100 * farthest),
                {figure});
}

Proof prove_turns(const Bench& bench) {
  const std::vector<EventGroup> groups = groups_in_turns(bench);
  if (groups.size() < 2) return not_proved("too few events open");
  const Plan plan = make_plan(bench.pmu, groups, 1);
  if (plan.refused.front()) return not_proved(*plan.refused.front());
  if (plan.sets.size() < 2) return not_proved("too few events open to take turns");
  std::vector<EstimatedRun> runs;
  std::optional<int> signal;
  {
    const auto supervisor = Supervisor::create();
    if (!supervisor) return not_proved(supervisor.error());
    while (runs.size() < kRuns && !signal) {
      auto child =
          SteppedChild::start([&bench](int) { work_steadily(bench.subject.cpus.front()); });
      if (!child) return not_proved(child.error());
      const KnownWork& work = work_for(bench.subject);
      const auto truth = open_events(bench, std::array{work.event}, Process{child->pid()});
      if (!truth) return not_proved(truth.error());
      const auto run = run_once(bench, plan, **supervisor, *child, *truth, runs.size());
      if (!run) return failed(run.error());
      runs.push_back(*run);
      signal = (*supervisor)->interrupted_by();
    }
  }
  if (signal) ::raise(*signal);
  return judge_turns(runs);
}

}  // namespace tacho::prove
