// The interface to counters. Each way to count implements Pmu; the rooms above know only events,
// targets and readings. Not thread-safe: one thread opens groups, turns them on and off, and reads
// them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/cycles_error.hpp"
#include "base/pmu_kind.hpp"
#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

// The count of one event since it was opened, and two times in nanoseconds: task time for the
// events of a task, wall time for those of a CPU. `enabled` is the time while the event set was on,
// `running` the time while it had counters. If running < enabled, others used the PMU, too.
struct Reading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;

  Reading& operator+=(const Reading& more) {
    value += more.value;
    enabled_ns += more.enabled_ns;
    running_ns += more.running_ns;
    return *this;
  }
  Reading& operator-=(const Reading& less) {
    value -= less.value;
    enabled_ns -= less.enabled_ns;
    running_ns -= less.running_ns;
    return *this;
  }
};

// Events that count at the same time, on every thread or CPU of a target. The destructor closes
// them. After an error on one thread or CPU, the others are still turned on or off and read; the
// first error is returned.
struct CounterGroup {
  virtual ~CounterGroup() = default;
  virtual Result<void> enable() = 0;
  virtual Result<void> disable() = 0;
  // One reading for each event, in the order of opening. `readings` has one entry for each event.
  // The values never fall: an event that can't be read keeps its last reading.
  virtual Result<void> read(std::span<Reading> readings) = 0;
  // Called when a CPU has gone offline or come online. A group that counts every CPU keeps the
  // counts of a CPU that has gone. It counts on a CPU that has come, if the group is on. Other
  // groups do nothing.
  virtual Result<void> follow(int /*cpu*/, bool /*online*/) { return {}; }
};

// The targets of counting.
struct Self {};  // the calling thread
struct Launched {
  pid_t pid;
  bool alone = false;
};  // a child that waits before its exec, with its descendants unless it is counted alone
struct Process {
  pid_t pid;
  std::vector<pid_t> more = {};
  bool alone = false;
};  // all present threads of a process, and of more, with their descendants unless alone
struct Thread {
  pid_t tid;
  std::vector<pid_t> more = {};
  bool alone = false;
};  // this thread, and more, with what they start from now on unless alone
struct EveryCpu {};  // everything that runs on any CPU
struct SomeCpus {
  std::vector<int> cpus;
};  // everything that runs on these CPUs
struct Cgroup {
  int directory;
};  // what runs in this control group, on any CPU; a descriptor, which the caller keeps open
using Target = std::variant<Self, Launched, Process, Thread, EveryCpu, SomeCpus, Cgroup>;

enum class Start {
  stopped,  // counts after enable()
  at_exec,  // counts from the target's exec on (only Launched; see Capabilities::sees_exec)
};

struct Capabilities {
  PmuKind kind = PmuKind::none;
  // The PMU's own name ("armv8_pmuv3", "sapphire_rapids"), or the name of the simulated model;
  // empty if there is none.
  std::string name;
  bool kernel_mode = true;  // can count in kernel mode
  std::string restriction;  // the reason if kernel_mode is false
  bool knows_all = false;   // counts any number of events at once: estimates have a known truth
  std::optional<CyclesError> cycles_error = {};  // of a simulated model, if it was measured
  bool sees_exec = true;  // supports Start::at_exec; false: call enable() right before the exec
};

// One run of a command that the PMU executes itself, in a time of its own. Must live until the last
// reading of its counters.
struct Simulation {
  using Time = std::chrono::nanoseconds;

  virtual ~Simulation() = default;
  // The command to launch instead, and the NAME=VALUE entries to add to its environment.
  virtual const std::vector<std::string>& command() const = 0;
  virtual const std::vector<std::string>& environment() const = 0;
  // The simulated time since the launch. Only advance() changes it.
  virtual Time now() const = 0;
  // Advances the time to `until` (nothing: no end), or as far as the command has run. Returns
  // whether `until` was reached.
  virtual Result<bool> advance(std::optional<Time> until) = 0;
  // Reads on until known() has reached `until`, or as far as the command has run. Returns whether
  // `until` was reached.
  virtual Result<bool> look_ahead(Time until) = 0;
  // The simulated time up to which the simulation is known; now() is before it.
  virtual Time known() const = 0;
  // Whether anything has been counted. A signal can end a command before.
  virtual bool begun() const = 0;
  // Returns the warnings for the user. To be called after the command's end, when advance() has
  // processed all of the run. `killed` is the signal that ended the command. It is an error if the
  // simulation did not see this end although no signal ended it.
  virtual Result<std::vector<std::string>> conclude(std::optional<int> killed) = 0;
};

struct Pmu {
  virtual ~Pmu() = default;
  virtual Capabilities capabilities() const = 0;
  virtual Result<Event> resolve(std::string_view spec) const = 0;
  // The names that a pattern of names stands for; any other name stands for itself.
  virtual std::vector<std::string> expand(std::string_view spec) const {
    return {std::string(spec)};
  }
  // The events that count a resolved event: itself, or one for each core PMU if the cores are
  // unequal and the event names no PMU (events/core_parts.hpp).
  virtual std::vector<Event> parts_of(const Event& event) const { return {event}; }
  // Opens the events as one group. Events of two core PMUs cannot be in one group. An error has the
  // errno, its meaning here and the remedy; then no event stays open.
  virtual Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events,
                                                     const Target& target, Start start) = 0;
  // Opens the events for sampling. Each event is sampled separately; the events of a group have
  // counters at the same time. Not every PMU can sample.
  virtual Result<std::unique_ptr<Sampler>> sample(std::span<const EventGroup> /*groups*/,
                                                  const Target& /*target*/, Start /*start*/,
                                                  const SampleSpec& /*spec*/) {
    return failure("this PMU counts, it does not sample", "leave --pmu out, or count: tacho stat");
  }
  // How often it samples if the user does not say.
  virtual SampleRate default_rate() const { return {}; }
  // For a PMU that runs the command itself to count it; null for the others. To be called before
  // launch and opening. `directory` is the command's working directory, or empty: tacho's. One
  // count covers at least `finest` and at most `longest` of simulated time.
  virtual Result<std::unique_ptr<Simulation>> simulate(std::span<const std::string> /*command*/,
                                                       const std::string& /*directory*/,
                                                       Simulation::Time /*finest*/,
                                                       Simulation::Time /*longest*/) {
    return nullptr;
  }
  // For a PMU that widens its counters itself: while they are on, attend() must be called at least
  // this often.
  virtual std::optional<std::chrono::nanoseconds> attend_within() const { return std::nullopt; }
  virtual void attend() {}
  // Remarks for the user on how a run was counted. To be called after the run.
  virtual std::vector<std::string> remarks() { return {}; }
};

}  // namespace tacho
