#include "doctor/examine_core.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/cpus.hpp"
#include "events/abi.hpp"
#include "events/cache_names.hpp"
#include "events/generic_names.hpp"
#include "pmu/on_cores_of.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/perf/unequal_cores.hpp"
#include "pmu/trust/known_loop.hpp"

namespace tacho {
namespace {

constexpr const char* kUseAllTheSame = "--pmu hardware uses them all the same";

std::vector<std::string> generic_core_events() {
  std::vector<std::string> names;
  for (const GenericName& row : generic_names())
    if (row.type == abi::kHardware) names.emplace_back(row.name);
  for (CacheName& row : cache_names()) names.push_back(std::move(row.name));
  return names;
}

// The generic events, by the result of trying them.
struct Generic {
  std::size_t believed = 0;
  std::size_t absent = 0;
  std::vector<std::pair<std::string, std::vector<std::string>>> doubted;  // names by their reason
};

void add_doubted(Generic& seen, const std::string& reason, std::string name) {
  auto group = std::ranges::find(seen.doubted, reason, [](const auto& each) { return each.first; });
  if (group == seen.doubted.end()) group = seen.doubted.insert(group, {reason, {}});
  group->second.push_back(std::move(name));
}

// The event on one core PMU. Where all cores are alike, `core_pmu` is empty and the event is as it
// is.
std::optional<Event> event_on(const Pmu& pmu, std::string_view name, std::string_view core_pmu) {
  const auto event = pmu.resolve(name);
  if (!event) return std::nullopt;
  for (Event& part : pmu.parts_of(*event))
    if (part.core_pmu == core_pmu) return std::move(part);
  return std::nullopt;
}

Generic try_generic_events(PerfEventPmu& pmu, std::string_view core_pmu) {
  Generic seen;
  for (std::string& name : generic_core_events()) {
    const auto event = event_on(pmu, name, core_pmu);
    if (!event) continue;
    const auto opened = pmu.open({&*event, 1}, Self{}, Start::stopped);
    if (!opened && opened.error().code != 0)
      ++seen.absent;
    else if (const auto doubt = pmu.judge().doubt(*event))
      add_doubted(seen, *doubt, std::move(name));
    else
      ++seen.believed;
  }
  return seen;
}

Finding events_not_believed(const Generic& seen) {
  constexpr const char* kName = "events not believed";
  std::string detail =
      fmt::format("generic events: {} plausible, {} absent", seen.believed, seen.absent);
  if (seen.doubted.empty()) return finding(kName, Verdict::ok, detail);
  std::size_t doubted = 0;
  std::string why;
  for (const auto& [reason, names] : seen.doubted) {
    doubted += names.size();
    why += fmt::format("; {} ({})", fmt::join(names, ", "), reason);
  }
  return finding(kName, Verdict::warning,
                 fmt::format("{}, {} not believed{}", detail, doubted, why), kUseAllTheSame);
}

// The number of copies of `event` that run in one group, beside `first` if it is given. Opening is
// not enough: some groups open and never run.
int copies_that_run(Pmu& pmu, const Event* first, const Event& event) {
  constexpr int kMost = 32;
  std::vector<Event> events;
  if (first != nullptr) events.push_back(*first);
  int running = 0;
  for (int n = 1; n <= kMost; ++n) {
    events.push_back(event);
    auto group = pmu.open(events, Self{}, Start::stopped);
    if (!group || !(*group)->enable()) break;
    run_known_loop(10'000);
    std::vector<Reading> readings(events.size());
    if (!(*group)->disable() || !(*group)->read(readings) || readings.front().running_ns == 0)
      break;
    running = n;
  }
  return running;
}

// The detail for one of the two reference events.
std::string told(const Yardstick& yardstick, const Judgement& judged) {
  switch (judged.belief) {
    case Belief::plausible:
      return fmt::format("'{}' counts a loop of {} {} as {}", yardstick.name, yardstick.long_work(),
                         yardstick.unit, judged.trial.counts[1]);
    case Belief::untried:
      return fmt::format("'{}': {}", yardstick.name, judged.reason);
    case Belief::dead:
    case Belief::garbage:
      break;
  }
  return judged.reason + ": not believed";
}

}  // namespace

Finding hardware_counters(const Judgement& instructions, const Judgement& cycles) {
  constexpr const char* kName = "hardware counters";
  const Yardstick& known = instructions_yardstick();
  int plausible = 0;
  bool garbage = false;
  std::string remedy;
  for (const Judgement* judged : {&cycles, &instructions}) {
    garbage = garbage || judged->belief == Belief::garbage;
    if (judged->belief == Belief::plausible)
      ++plausible;
    else
      remedy = judged->belief == Belief::untried ? judged->remedy : kUseAllTheSame;
  }
  if (plausible == 2)
    return finding(
        kName, Verdict::ok,
        fmt::format("a loop of {} instructions counted as {}, in {} cycles", known.long_work(),
                    instructions.trial.counts[1], cycles.trial.counts[1]));
  return finding(kName, garbage || plausible == 0 ? Verdict::problem : Verdict::warning,
                 told(cycles_yardstick(), cycles) + "; " + told(known, instructions), remedy);
}

// No processor has a fixed counter for the first events, so their copies take general counters. The
// last one is for PMUs that have no other.
CounterTrial try_counters(Pmu& pmu, std::string_view core_pmu) {
  const auto cycles = event_on(pmu, "cycles", core_pmu);
  if (!cycles) return {};
  const OnCoresOf cores(*cycles);
  for (const char* name :
       {"branch-misses", "cache-misses", "branches", "bus-cycles", "instructions"}) {
    const auto event = event_on(pmu, name, core_pmu);
    if (!event || !pmu.open({&*event, 1}, Self{}, Start::stopped)) continue;
    return {.alone = copies_that_run(pmu, nullptr, *event),
            .beside_cycles = copies_that_run(pmu, &*cycles, *event),
            .event = name};
  }
  return {.alone = copies_that_run(pmu, nullptr, *cycles),
          .beside_cycles = copies_that_run(pmu, &*cycles, *cycles),
          .event = "cycles"};
}

std::string counters_found(const CounterTrial& trial) {
  const std::string found = fmt::format("{} beside cycles, found by opening copies of {}",
                                        trial.beside_cycles, trial.event);
  const bool may_be_fixed = trial.event == "cycles" || trial.event == "instructions";
  if (may_be_fixed) return found + ", of which one may be a counter for this event alone";
  if (trial.alone == trial.beside_cycles) return found + "; cycles has a counter of its own";
  return found + "; cycles takes one of these counters";
}

namespace {

// Tries the events on one core PMU.
CoreExamination examine_one(const Catalogue& catalogue, std::string_view core_pmu) {
  PerfEventPmu pmu(catalogue, Trust::checked);
  const Generic seen = try_generic_events(pmu, core_pmu);
  const Event like = event_on(pmu, "cycles", core_pmu).value_or(Event());
  const Judgement& cycles = pmu.judge().judgement(cycles_yardstick(), like);
  CoreExamination core{.usable = seen.believed > 0, .counters = 0, .findings = {}};
  core.findings.push_back(
      hardware_counters(pmu.judge().judgement(instructions_yardstick(), like), cycles));
  if (core.usable && cycles.belief == Belief::plausible) {
    PerfEventPmu believed(catalogue, Trust::believed);
    const CounterTrial trial = try_counters(believed, core_pmu);
    core.counters = trial.beside_cycles;
    core.findings.push_back(finding("counters", Verdict::ok, counters_found(trial)));
  }
  if (seen.believed > 0 || !seen.doubted.empty())
    core.findings.push_back(events_not_believed(seen));
  return core;
}

}  // namespace

// On unequal cores, each finding names its core PMU, and the fewest counters are the machine's.
CoreExamination examine_core(const Catalogue& catalogue) {
  if (unequal_cores().empty()) return examine_one(catalogue, "");
  CoreExamination all{.usable = false, .counters = 0, .findings = {}};
  for (const CorePmu& core : unequal_cores()) {
    const std::string name = fmt::format("core PMU {}", core.name);
    const std::string where = fmt::format("counts on {}", cpus_in_words(core.cpus));
    Event there;
    there.core_pmu = core.name;
    there.cpus = core.cpus;
    if (!OnCoresOf(there).there()) {
      all.findings.push_back(finding(name, Verdict::warning,
                                     where + "; not tried, because tacho may not run there",
                                     "let tacho use these CPUs (taskset, cpuset)"));
      continue;
    }
    all.findings.push_back(finding(name, Verdict::ok, where));
    CoreExamination one = examine_one(catalogue, core.name);
    if (one.usable) all.counters = all.usable ? std::min(all.counters, one.counters) : one.counters;
    all.usable = all.usable || one.usable;
    for (Finding& each : one.findings) {
      each.name += fmt::format(", {}", core.name);
      all.findings.push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace tacho
