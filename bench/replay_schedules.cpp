// Prints how often the intervals of `tacho stat` hold on one simulated run, over many schedules.
//
// One simulation of a command records what every event counted in each microsecond. Each draw then
// gives the sets their turns as a run with another seed would, over the same record. So thousands
// of estimates with a known truth take no longer than one simulation. bench/coverage.py calls it:
//
//   replay_schedules MODEL COUNTERS LONGEST_PERIOD_MS DRAWS COMMAND [ARGUMENTS]
//
// Each line of the output is one event of one draw, as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "estimate/summarise.hpp"
#include "events/find_data.hpp"
#include "measure/fill_measurement.hpp"
#include "measure/plan.hpp"
#include "measure/schedule.hpp"
#include "pmu/choice/event_groups.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "process/supervisor.hpp"

namespace {

using namespace tacho;
using std::chrono::nanoseconds;

// What one simulated run counted: cumulative counts of all events at increasing times.
struct Record {
  std::vector<nanoseconds> times;
  std::vector<std::vector<std::uint64_t>> counts;  // by time, then by event of the plan
};

struct Replayed {
  Plan plan;
  Record record;
};

Result<Record> simulate(Pmu& pmu, const Plan& plan, const std::vector<std::string>& command) {
  using namespace std::chrono_literals;
  const auto supervisor = TACHO_TRY(Supervisor::create());
  auto simulation = TACHO_TRY(pmu.simulate(command, {}, 1us, 5us));
  TACHO_TRY(supervisor->prepare(
      {.argv = simulation->command(), .environment = simulation->environment()}));
  std::vector<std::unique_ptr<CounterGroup>> groups;
  for (const Event& event : plan.events) {
    auto group = pmu.open(std::span(&event, 1), Launched{supervisor->pid()}, Start::at_exec);
    groups.push_back(group ? std::move(*group) : nullptr);
  }
  TACHO_TRY(supervisor->release());
  for (const auto& group : groups)
    if (group) TACHO_TRY(group->enable());
  Record record;
  bool ended = false;
  for (;;) {
    const bool complete = ended;  // after the end, the next records are the last ones
    while (TACHO_TRY(simulation->advance(simulation->now() + 1ns))) {
      std::vector<std::uint64_t> now;
      for (const auto& group : groups) {
        Reading reading;
        if (group) TACHO_TRY(group->read(std::span(&reading, 1)));
        now.push_back(reading.value);
      }
      record.times.push_back(simulation->now());
      record.counts.push_back(std::move(now));
    }
    if (complete) break;
    ended = supervisor->wait(Supervisor::Clock::now() + 10ms) == Wake::ended;
  }
  return record;
}

// The Measurement of a run whose sets had their turns in this order.
Measurement replay(const Replayed& run, nanoseconds longest, std::uint64_t seed) {
  const auto& [plan, record] = run;
  Measurement m = blank_measurement(plan, plan.refused);
  m.machine.pmu_kind = PmuKind::simulated;
  std::vector<std::size_t> sets(plan.sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = i;
  Schedule schedule(sets, {.first = Schedule::kFirstSimulated, .longest = longest}, seed);
  const std::vector<std::uint64_t> zero(plan.events.size());
  const std::vector<std::uint64_t>* before = &zero;
  nanoseconds start{};
  for (std::size_t at = 0; at < record.times.size() && !sets.empty();) {
    const nanoseconds left = record.times.back() - start;
    const auto remaining = left < schedule.shrinking_time() ? std::optional(left) : std::nullopt;
    const Schedule::Turn turn = schedule.next(remaining);
    const auto end = std::ranges::lower_bound(record.times, start + turn.length);
    const std::size_t last = end == record.times.end()
                                 ? record.times.size() - 1
                                 : static_cast<std::size_t>(end - record.times.begin());
    const auto& after = record.counts[last];
    Period period{.start_s = static_cast<double>(start.count()) / 1e9,
                  .duration_s = static_cast<double>((record.times[last] - start).count()) / 1e9,
                  .round = turn.round,
                  .set = static_cast<std::uint32_t>(turn.set),
                  .reference = after[*plan.reference] - (*before)[*plan.reference],
                  .counts = {}};
    period.enabled_ns = period.running_ns =
        static_cast<std::uint64_t>((record.times[last] - start).count());
    for (const std::size_t event : plan.sets[turn.set])
      period.counts.push_back(after[event] - (*before)[event]);
    m.periods.push_back(std::move(period));
    start = record.times[last];
    before = &after;
    at = last + 1;
  }
  std::vector<Reading> always(m.always.size());
  std::size_t slot = 0;
  const auto count_always = [&](const std::vector<std::size_t>& events) {
    for (const std::size_t event : events) {
      const std::uint64_t count = record.counts.back()[event];
      always[slot++] = {.value = count, .enabled_ns = 1, .running_ns = 1};
    }
  };
  for (const auto& group : plan.always) count_always(group);
  count_always(plan.truth);
  fill_totals(m, plan, always);
  m.workload.elapsed_s = static_cast<double>(record.times.back().count()) / 1e9;
  return m;
}

void print_draw(const Summary& summary, std::uint64_t draw) {
  for (const EventSummary& event : summary.events) {
    if (!event.truth || event.status != Status::estimated) continue;
    nlohmann::json line = {{"draw", draw},
                           {"event", event.name},
                           {"estimate", event.estimate.value_or(0)},
                           {"truth", *event.truth},
                           {"periods", event.periods},
                           {"share", event.share}};
    const auto ends = ends95(event);
    line["ci95"] = event.ci95 ? nlohmann::json(*event.ci95) : nlohmann::json();
    line["low"] = ends ? nlohmann::json(ends->low) : nlohmann::json();
    line["high"] = ends ? nlohmann::json(ends->high) : nlohmann::json();
    line["warnings"] = nlohmann::json::array();
    for (const std::string& warning : summary.warnings)
      if (warning.contains(event.name)) line["warnings"].push_back(warning);
    fmt::print("{}\n", line.dump());
  }
}

Result<void> run(std::span<char*> words) {
  const Catalogue catalogue;
  const auto choice = TACHO_TRY(parse_pmu_option(fmt::format("simulated:{}", words[1])));
  const auto pmu = TACHO_TRY(make_pmu(choice, catalogue));
  const std::string set_name =
      choice.model && !choice.model->set.empty() ? choice.model->set : "default";
  const EventSet set = TACHO_TRY(find_set(set_name));
  const auto groups = TACHO_TRY(resolve_groups(*pmu, set.events, set.places));
  Replayed run;
  run.plan = make_plan(*pmu, groups, std::atoi(words[2]));
  const auto longest = nanoseconds(static_cast<std::int64_t>(1e6 * std::atof(words[3])));
  run.record = TACHO_TRY(simulate(*pmu, run.plan, {words.begin() + 5, words.end()}));
  const auto draws = std::strtoul(words[4], nullptr, 10);
  for (std::uint64_t draw = 0; draw < draws; ++draw)
    print_draw(summarise(replay(run, longest, draw), {}), draw);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr,
               "replay_schedules MODEL COUNTERS LONGEST_PERIOD_MS DRAWS COMMAND [ARGUMENTS]\n");
    return 2;
  }
  const auto done = run(std::span(argv, static_cast<std::size_t>(argc)));
  if (done) return 0;
  fmt::print(stderr, "replay_schedules: {}\n", done.error().what);
  return 1;
}
