// stats: pure functions that compute estimates, intervals and tests. This file has the plain value
// that a run of measure() yields, and that estimates and reports start from.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cycles_error.hpp"
#include "base/pmu_kind.hpp"

namespace tacho {

// The workload and how it ended.
struct Workload {
  std::vector<std::string> command;  // empty if tacho attached to a running process
  std::string directory;             // its working directory; empty: that of tacho
  std::string label;                 // its name in reports: the command, "process 42", "every CPU"
  bool every_cpu = false;            // everything that ran on the CPUs, and their idle time
  std::string started;               // local time, ISO 8601
  double elapsed_s = 0;              // from exec to exit: wall time, or simulated time
  // The part of it in which counting was on, if it could be off for a while.
  std::optional<double> counted_s = {};
  double user_s = 0;  // CPU time of the command and of the children it waited for
  double system_s = 0;
  double launch_s = 0;  // the CPU time before its program began, or a little more
  std::uint64_t max_rss_bytes = 0;
  bool has_usage = false;  // user_s, system_s and max_rss_bytes are known
  int exit_code = 0;
  std::optional<int> signal;  // the signal that killed it
  bool timed_out = false;     // tacho killed it, because it ran longer than its time limit
  bool asked_to_end = false;  // tacho sent it SIGTERM, because the user had asked for that

  // Whether it ended as the user wanted.
  bool ended_well() const { return signal ? asked_to_end && signal == SIGTERM : exit_code == 0; }
  // The time that rates are over.
  double counting_s() const { return counted_s.value_or(elapsed_s); }
};

// The PMU that counted, and its machine.
struct Machine {
  PmuKind pmu_kind = PmuKind::none;
  std::string pmu_name;
  std::optional<int> counters;  // core counters beside the reference, if known
  std::string kernel;           // uname -r
  std::string architecture;     // uname -m
  int cpus = 0;
  std::optional<CyclesError> cycles_error = {};  // of a simulated model, if it was measured

  bool simulated() const { return pmu_kind == PmuKind::simulated; }
};

// The events of one core PMU in a run on unequal cores.
struct Lane {
  std::string pmu;                    // "cpu_core"; empty: events without a core PMU
  std::string cpus;                   // of the PMU: "0-7"
  std::string reference;              // scales the lane's sets; empty if none take turns
  std::uint64_t reference_total = 0;  // of the whole run, on these cores
  std::optional<int> counters;        // beside the reference, if known
  // Of the events that count all the time. The events of a task are enabled on all cores, but run
  // only on the PMU's.
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;

  // The part of the time on the PMU's cores: of a task's CPU time. 1 for events of CPUs.
  double share() const {
    if (enabled_ns == 0) return 0;
    return static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
  }
};

// How a requested event was counted.
enum class Duty {
  always,       // in every period
  turned,       // only in the turns of its set
  unsupported,  // this machine cannot count it
  failed,       // this machine should count it, but it could not be opened or never ran
  elsewhere,    // counted, but not on the CPU of this part: its core has another PMU
};

struct CountedEvent {
  std::string name;
  std::string unit;       // empty: a plain count; "ns" for clocks
  double scale = 1.0;     // one count in `unit`
  bool narrowed = false;  // kernel mode was requested, but tacho may not count it
  Duty duty = Duty::always;
  std::size_t set = 0;   // of a turned event
  std::size_t slot = 0;  // index in Measurement::always or Period::counts
  // If a turned event was also counted all the time: the index of this count in
  // Measurement::always.
  std::optional<std::size_t> truth;
  std::string reason;  // why the event is unsupported or failed
  std::string remedy;
  std::string core_pmu;  // on unequal cores: Event::core_pmu and Event::part_of
  std::string part_of;
};

// One period, during which one set was on. Counts and references are those of this period alone.
struct Period {
  double start_s = 0;  // since the workload's exec
  double duration_s = 0;
  std::uint32_t round = 0;
  std::uint32_t set = 0;
  std::uint64_t reference = 0;        // the reference, while the set was on
  std::uint64_t enabled_ns = 0;       // time for which the set was on
  std::uint64_t running_ns = 0;       // the part of it during which the set had counters
  std::vector<std::uint64_t> counts;  // of the set's events, by slot
};

// The result of one measured run. Reports and statistics start from it and from nothing else.
struct Measurement {
  Workload workload;
  Machine machine;
  std::string reference;  // "cycles" or "task-clock"; on unequal cores those of the lanes
  std::uint64_t reference_total = 0;  // of the whole run, gaps between turns included
  std::vector<Lane> lanes;            // on unequal cores; else empty
  std::vector<std::size_t> lane_of_set;
  bool lanes_are_all = false;          // every online CPU belongs to a lane
  std::vector<CountedEvent> events;    // in the order of the request
  std::size_t sets = 0;                // 0 if all events fitted and no set took turns
  std::vector<Period> periods;         // empty if no set took turns
  std::size_t merge_factor = 1;        // periods of the run in each element of `periods`
  std::vector<std::uint64_t> always;   // totals of the events counted all the time, by slot
  std::vector<double> always_running;  // running over enabled time by slot; 1 if undisturbed
  std::vector<std::uint64_t> always_running_ns;  // time for which each had a counter, by slot
  double period_ms = 0;                          // the longest period requested
  double reached_period_ms = 0;                  // median length of the periods
  double turn_cost_us = 0;                       // median cost of a turn
  double turning_s = 0;                          // time of all turns, which belongs to no period
  std::vector<std::string> warnings;             // of the measurement itself
};

// Returns the number of periods of the run. A run without turns is one period.
inline std::size_t period_count(const Measurement& m) {
  return m.sets == 0 ? 1 : m.periods.size() * m.merge_factor;
}

// The lane of a core PMU; null if all cores are alike, and for events without a core PMU.
inline const Lane* lane_of(const Measurement& m, std::string_view core_pmu) {
  for (const Lane& lane : m.lanes)
    if (!core_pmu.empty() && lane.pmu == core_pmu) return &lane;
  return nullptr;
}

// If the lanes cover at least this part of a task's CPU time, they count as covering all of it.
inline constexpr double kCoveredByLanes = 0.99;

// The part of a task's CPU time in which the core PMUs counted, together. It is 1 if every core PMU
// counts and nobody else uses one.
inline double covered_by_lanes(const Measurement& m) {
  double sum = 0;
  for (const Lane& lane : m.lanes)
    if (!lane.pmu.empty()) sum += lane.share();
  return sum;
}

}  // namespace tacho
