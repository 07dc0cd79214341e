// stats: what is computed from counts, as pure functions; and the plain value that they start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/pmu_kind.hpp"

namespace tacho {

// The workload and how it ended.
struct Workload {
  std::vector<std::string> command;  // empty when tacho attached to something that ran already
  std::string label;       // what to call it in a report: the command, "process 42", "every CPU"
  bool every_cpu = false;  // not one workload: all that ran on the CPUs, and their idleness
  std::string started;     // local time, ISO 8601
  double elapsed_s = 0;    // from exec to exit: wall time, or simulated time
  double user_s = 0;       // CPU time of the command and the children it waited for
  double system_s = 0;
  std::uint64_t max_rss_bytes = 0;
  bool has_usage = false;  // user_s, system_s and max_rss_bytes are known
  int exit_code = 0;
  std::optional<int> signal;  // the signal that killed it
};

// The PMU that counted, and the machine it stood in.
struct Machine {
  PmuKind pmu_kind = PmuKind::none;
  std::string pmu_name;
  std::optional<int> counters;  // core counters available beside the reference, when known
  std::string kernel;           // uname -r
  std::string architecture;     // uname -m
  int cpus = 0;

  bool simulated() const { return pmu_kind == PmuKind::simulated; }
};

// How an asked-for event was counted.
enum class Duty {
  always,       // in every period
  turned,       // while its set had its turn
  unsupported,  // this machine can't count it
  failed,       // it should count here, but could not be opened or never ran
};

struct CountedEvent {
  std::string name;
  std::string unit;       // empty: a plain count; "ns" for clocks
  double scale = 1.0;     // one count in `unit`
  bool narrowed = false;  // without the kernel mode that was asked for, as it may not be counted
  Duty duty = Duty::always;
  std::size_t set = 0;               // of a turned event
  std::size_t slot = 0;              // place in Measurement::always or Period::counts
  std::optional<std::size_t> truth;  // of a turned event that was counted all the time too: its
                                     // place in Measurement::always
  std::string reason;                // of an unsupported or failed event
  std::string remedy;
};

// One stretch during which one set was on. Counts and references are those of this period alone.
struct Period {
  double start_s = 0;  // since the workload's exec
  double duration_s = 0;
  std::uint32_t round = 0;
  std::uint32_t set = 0;
  std::uint64_t reference = 0;   // the reference, while the set was on
  std::uint64_t enabled_ns = 0;  // the set's time on, and the part of it with counters
  std::uint64_t running_ns = 0;
  std::vector<std::uint64_t> counts;  // of the set's events, in slot order
};

// Everything that was measured. Reports, statistics and replay start from it and from nothing else.
struct Measurement {
  Workload workload;
  Machine machine;
  std::string reference;               // its name: "cycles" or "task-clock"
  std::uint64_t reference_total = 0;   // counted all the time, gaps between turns included
  std::vector<CountedEvent> events;    // in the order asked for
  std::size_t sets = 0;                // 0: everything fitted, nothing was turned
  std::vector<Period> periods;         // empty when nothing was turned
  std::size_t merge_factor = 1;        // periods of the run in each element of `periods`
  std::vector<std::uint64_t> always;   // totals of what was counted all the time, by slot
  std::vector<double> always_running;  // by slot: running over enabled time, 1 when undisturbed
  double period_ms = 0;                // the longest period asked for
  double reached_period_ms = 0;        // the median period that was reached
  double turn_cost_us = 0;             // the median cost of a turn
  double turning_s = 0;                // what all turns took, which belongs to no period
  std::vector<std::string> warnings;   // from the measuring itself
};

// Periods of the run: a run in which nothing took turns was one.
inline std::size_t period_count(const Measurement& m) {
  return m.sets == 0 ? 1 : m.periods.size() * m.merge_factor;
}

}  // namespace tacho
