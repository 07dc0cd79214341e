#include "measure/fill_measurement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/cpus.hpp"
#include "pmu/targets.hpp"
#include "process/taken_events.hpp"

namespace tacho {
namespace {

// These codes mean that the event could not be opened this time; any other, that the machine cannot
// count it.
Duty refused_duty(int code) {
  for (const int failed : {EMFILE, ENFILE, ENOMEM, ENOSPC, EBUSY, ESRCH})
    if (code == failed) return Duty::failed;
  return Duty::unsupported;
}

// How much of the command's time may be missing before it is told.
struct Tolerance {
  double part;
  double ns;
};
// From the time of its software events, which are on wherever the command runs: the time between
// two readings.
constexpr Tolerance kOfEvents{0.01, 1e6};
// From its CPU time, which also has the start and the end of each process (were_taken).
constexpr Tolerance kOfCpuTime{0.5, 5e6};

// The least part of the time from which a count is scaled to all of it.
constexpr double kFewest = 0.01;

bool is_short(double enabled_ns, double whole_ns, Tolerance tolerance) {
  return whole_ns - enabled_ns > std::max(tolerance.part * whole_ns, tolerance.ns);
}

// Marks the events that could not be read from one of the targets: what is known of them is not
// their count.
void mark_unread(Measurement& m, std::span<const TargetCounters> targets) {
  const auto why_unread = [&](const CountedEvent& event) -> const Error* {
    for (const TargetCounters& target : targets) {
      const Error* why = nullptr;
      if (event.duty == Duty::always) why = target.unread_always(event.slot);
      if (event.duty == Duty::turned) why = target.unread_set(event.set);
      if (event.duty == Duty::turned && why == nullptr) why = target.unread_reference(event.set);
      if (why != nullptr) return why;
    }
    return nullptr;
  };
  for (CountedEvent& event : m.events) {
    const Error* const why = why_unread(event);
    if (why == nullptr) continue;
    event.duty = Duty::failed;
    event.reason = why->what;
    event.remedy = why->remedy;
  }
}

// The rest of the time is not known: see hold_against_time().
void mark_lost(CountedEvent& event, double share) {
  event.duty = Duty::failed;
  event.reason = fmt::format("counted in {:.2g} % of the command's CPU time only", 100 * share);
  event.remedy = "stop other users of the PMU, or ask for fewer events";
}

void mark_without_counter(CountedEvent& event) {
  event.duty = Duty::failed;
  event.reason =
      "it was opened but never got a counter: another program uses the PMU, or the group is too "
      "large";
  event.remedy =
      "end other users of the PMU (the NMI watchdog: sysctl kernel.nmi_watchdog=0), or ask for "
      "fewer events";
}

bool has_reason_to_be_taken(const Workload& workload) {
  return !workload.command.empty() &&
         why_events_are_taken(workload.command.front(), workload.directory).has_value();
}

double share_of(const Reading& reading) {
  if (reading.enabled_ns == 0) return 1;
  return static_cast<double>(reading.running_ns) / static_cast<double>(reading.enabled_ns);
}

// Returns the reference's total. Every estimate is scaled by it, so it must include the time in
// which the kernel gave its counter to another program.
std::uint64_t whole_total(Measurement& m, const std::string& reference, const Reading& reading) {
  const double running = share_of(reading);
  if (running <= 0 || running >= 1) return reading.value;
  m.warnings.push_back(
      fmt::format("{} scales the estimates, but had a counter for {:.1f} % of the time only: the "
                  "estimates are less certain than their intervals (stop other users of the PMU)",
                  reference, 100 * running));
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(reading.value) / running));
}

// Whether the counts of core PMUs are those of a task, which leaves their cores at times.
bool of_a_task(const Measurement& m) {
  return !m.workload.every_cpu;
}

// The slot that tells for how long the lane had its cores: that of its reference, or of any other
// event that counts all the time.
std::optional<std::size_t> slot_of_lane(const Plan& plan, const PlannedLane& lane) {
  if (lane.reference) return plan.always_slot(*lane.reference);
  for (std::size_t i = 0; i < plan.events.size(); ++i)
    if (plan.events[i].core_pmu == lane.pmu && plan.events[i].domain == Domain::core)
      if (const auto slot = plan.always_slot(i)) return slot;
  return std::nullopt;
}

// A task's reference on some cores is never scaled: the time on the other cores is not covered.
void fill_lanes(Measurement& m, const Plan& plan, std::span<const Reading> always) {
  m.reference_total = 0;
  for (std::size_t i = 0; i < m.lanes.size(); ++i) {
    Lane& lane = m.lanes[i];
    const auto slot = slot_of_lane(plan, plan.lanes[i]);
    if (!slot) continue;
    const Reading& reading = always[*slot];
    lane.enabled_ns = reading.enabled_ns;
    lane.running_ns = reading.running_ns;
    if (lane.reference.empty()) continue;
    lane.reference_total =
        of_a_task(m) && !lane.pmu.empty() ? reading.value : whole_total(m, lane.reference, reading);
    m.reference_total += lane.reference_total;
  }
  const double covered = covered_by_lanes(m);
  const bool ran =
      std::ranges::any_of(m.lanes, [](const Lane& lane) { return lane.enabled_ns > 0; });
  if (of_a_task(m) && m.lanes_are_all && ran && covered < kCoveredByLanes)
    m.warnings.push_back(
        fmt::format("the cores' PMUs together had counters for {:.1f} % of the CPU time only: the "
                    "counts of the "
                    "cores are too low (stop other users of the PMUs, or ask for fewer events)",
                    100 * covered));
}

// Whether every online CPU belongs to one of the lanes.
bool are_all(const std::vector<Lane>& lanes) {
  std::vector<int> served;
  for (const Lane& lane : lanes)
    for (const int cpu : parse_cpu_list(lane.cpus)) served.push_back(cpu);
  return std::ranges::all_of(
      online_cpus(), [&](int cpu) { return std::ranges::find(served, cpu) != served.end(); });
}

void name_lanes(Measurement& m, const Plan& plan) {
  std::vector<std::string> references;
  for (const PlannedLane& planned : plan.lanes) {
    Lane lane{
        .pmu = planned.pmu, .cpus = planned.cpus, .reference = {}, .counters = planned.counters};
    if (planned.reference) {
      lane.reference = plan.events[*planned.reference].name;
      references.push_back(lane.reference);
    }
    m.lanes.push_back(std::move(lane));
  }
  m.lane_of_set = plan.lane_of_set;
  m.lanes_are_all = are_all(m.lanes);
  m.reference = fmt::format("{}", fmt::join(references, ", "));
}

}  // namespace

Measurement blank_measurement(const Plan& plan, const std::vector<std::optional<Error>>& refused) {
  Measurement m;
  for (std::size_t i = 0; i < plan.asked; ++i) {
    CountedEvent event;
    event.name = plan.events[i].name;
    event.unit = plan.events[i].unit;
    event.scale = plan.events[i].scale;
    event.narrowed = plan.events[i].narrowed;
    event.core_pmu = plan.events[i].core_pmu;
    event.part_of = plan.events[i].part_of;
    if (refused[i]) {
      event.duty = refused_duty(refused[i]->code);
      event.reason = refused[i]->what;
      event.remedy = refused[i]->remedy;
    }
    m.events.push_back(std::move(event));
  }
  const auto place = [&](std::size_t index, Duty duty, std::size_t set, std::size_t slot) {
    if (index >= plan.asked) return;
    CountedEvent& event = m.events[index];
    if (!refused[index]) event.duty = duty;
    event.set = set;
    event.slot = slot;
  };
  std::size_t slot = 0;
  for (const auto& group : plan.always)
    for (const std::size_t index : group) place(index, Duty::always, 0, slot++);
  for (const std::size_t index : plan.truth) {
    if (index < plan.asked) m.events[index].truth = slot;
    ++slot;
  }
  for (std::size_t set = 0; set < plan.sets.size(); ++set)
    for (std::size_t i = 0; i < plan.sets[set].size(); ++i)
      place(plan.sets[set][i], Duty::turned, set, i);
  m.always.resize(slot);
  m.always_running.resize(slot, 1.0);
  m.sets = plan.sets.size();
  if (plan.reference) m.reference = plan.events[*plan.reference].name;
  if (!plan.lanes.empty()) name_lanes(m, plan);
  m.warnings = plan.warnings;
  return m;
}

void mark_elsewhere(Measurement& part, const Plan& plan, int cpu) {
  for (std::size_t i = 0; i < part.events.size(); ++i) {
    CountedEvent& event = part.events[i];
    if (counts_on(plan.events[i], cpu)) continue;
    event.duty = Duty::elsewhere;
    event.reason = fmt::format("not counted on CPU {}: {} has {}", cpu, event.core_pmu,
                               cpus_in_words(plan.events[i].cpus));
    event.remedy = "the other CPUs have it";
  }
}

void add(Period& whole, const Period& part) {
  whole.reference += part.reference;
  whole.enabled_ns += part.enabled_ns;
  whole.running_ns += part.running_ns;
  whole.counts.resize(std::max(whole.counts.size(), part.counts.size()));
  for (std::size_t i = 0; i < part.counts.size(); ++i) whole.counts[i] += part.counts[i];
}

void add(std::vector<Reading>& whole, std::span<const Reading> part) {
  whole.resize(std::max(whole.size(), part.size()));
  for (std::size_t i = 0; i < part.size(); ++i) whole[i] += part[i];
}

void fill_totals(Measurement& m, const Plan& plan, std::span<const Reading> always,
                 std::span<const TargetCounters> targets) {
  m.always_running_ns.resize(m.always.size());
  for (std::size_t slot = 0; slot < m.always.size(); ++slot) {
    const Reading& reading = always[slot];
    m.always[slot] = reading.value;
    m.always_running[slot] = share_of(reading);
    m.always_running_ns[slot] = reading.running_ns;
  }
  // Without lanes the reference is in the first slot.
  if (!m.lanes.empty())
    fill_lanes(m, plan, always);
  else if (plan.reference)
    m.reference_total = whole_total(m, m.reference, always.front());
  std::vector<std::uint64_t> enabled(m.sets);
  std::vector<std::uint64_t> running(m.sets);
  for (const Period& period : m.periods) {
    enabled[period.set] += period.enabled_ns;
    running[period.set] += period.running_ns;
  }
  for (CountedEvent& event : m.events) {
    // A task may never have been on these cores: event_estimates.cpp judges that.
    if (!event.core_pmu.empty() && of_a_task(m)) continue;
    if (event.duty == Duty::always && always[event.slot].enabled_ns > 0 &&
        always[event.slot].running_ns == 0)
      mark_without_counter(event);
    if (event.duty == Duty::turned && enabled[event.set] > 0 && running[event.set] == 0)
      mark_without_counter(event);
  }
  mark_unread(m, targets);
}

std::uint64_t time_of_task(const Plan& plan, std::span<const Reading> always,
                           std::uint64_t task_ns) {
  std::size_t slot = 0;
  for (const auto& group : plan.always)
    for (const std::size_t index : group) {
      if (plan.events[index].domain == Domain::software)
        task_ns = std::max(task_ns, always[slot].enabled_ns);
      ++slot;
    }
  return task_ns;
}

void mark_taken(Measurement& m) {
  const Error why = taken_events(m.workload.command, m.workload.directory);
  for (CountedEvent& event : m.events) {
    if (event.duty != Duty::always && event.duty != Duty::turned) continue;
    event.duty = Duty::failed;
    event.reason = why.what;
    event.remedy = why.remedy;
  }
}

void hold_against_time(Measurement& m, const Plan& plan, std::span<Reading> always,
                       std::uint64_t task_ns) {
  if (!is_of_kernel(m.machine.pmu_kind) || m.workload.every_cpu) return;
  std::vector<std::size_t> in_slot;
  for (const auto& group : plan.always) in_slot.insert(in_slot.end(), group.begin(), group.end());
  task_ns = time_of_task(plan, always, task_ns);
  if (!m.workload.has_usage || m.workload.counted_s) {
    // Nobody knows the CPU time of a running process. On unequal cores, what it starts loses time
    // of the PMUs on whose cores it never was.
    for (std::size_t slot = 0; slot < in_slot.size(); ++slot)
      if (!plan.events[in_slot[slot]].core_pmu.empty())
        always[slot].enabled_ns = std::max(always[slot].enabled_ns, task_ns);
    return;
  }
  const CommandTime cpu{.all = 1e9 * (m.workload.user_s + m.workload.system_s),
                        .launch = 1e9 * m.workload.launch_s};
  const auto events_ns = static_cast<double>(task_ns);
  if (task_ns > 0 && were_taken(events_ns, cpu, has_reason_to_be_taken(m.workload)))
    return mark_taken(m);
  if (task_ns > 0)
    if (auto missed = missed_time_warning(events_ns, cpu)) m.warnings.push_back(std::move(*missed));
  // Software events have a counter all the time, so theirs is the whole time.
  const double whole = task_ns > 0 ? events_ns : cpu.all;
  std::vector<std::string> names;
  double least = 1;
  for (std::size_t slot = 0; slot < in_slot.size(); ++slot) {
    Reading& reading = always[slot];
    const auto enabled = static_cast<double>(reading.enabled_ns);
    if (enabled == 0 || !is_short(enabled, whole, task_ns > 0 ? kOfEvents : kOfCpuTime)) continue;
    reading.enabled_ns = static_cast<std::uint64_t>(whole);
    // The summary says which part of the time was on the cores of the event.
    if (!plan.events[in_slot[slot]].core_pmu.empty()) continue;
    const double share = static_cast<double>(reading.running_ns) / whole;
    least = std::min(least, share);
    names.push_back(plan.events[in_slot[slot]].name);
    if (share < kFewest && in_slot[slot] < m.events.size())
      mark_lost(m.events[in_slot[slot]], share);
  }
  if (names.empty()) return;
  m.warnings.push_back(fmt::format("{}: counted in {:.1f} % of the command's CPU time only",
                                   fmt::join(names, ", "), 100 * least));
}

std::vector<std::uint64_t> values(std::span<const Reading> readings) {
  std::vector<std::uint64_t> result;
  for (const Reading& reading : readings) result.push_back(reading.value);
  return result;
}

std::vector<Reading> gained_since(std::vector<Reading>& before, std::vector<Reading> now) {
  std::vector<Reading> gained = now;
  before.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) gained[i] -= before[i];
  before = std::move(now);
  return gained;
}

}  // namespace tacho
