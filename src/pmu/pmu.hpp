// pmu: where counts come from. Pmu is the one interface; each way of counting implements it, and
// everything above sees only events, targets and readings. Not thread-safe: one thread opens,
// turns and reads.
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

#include "base/pmu_kind.hpp"
#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

// What one event has counted since it was opened, and for how long. The two times are task time
// for a task's events and wall time for a CPU's, in nanoseconds: `enabled` while the set was on,
// `running` while it really had counters. running < enabled means that someone else used the PMU.
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

// Events that count at the same time, on every thread or CPU of a target. Closes in its destructor.
// What goes wrong on one of them does not keep the others from being turned and read: the error
// tells of the first.
struct CounterGroup {
  virtual ~CounterGroup() = default;
  virtual Result<void> enable() = 0;
  virtual Result<void> disable() = 0;
  // One reading an event, in the order of opening. `readings` has as many places as events. They
  // never fall: what can't be read, for good or now, counts as it was read last.
  virtual Result<void> read(std::span<Reading> readings) = 0;
  // A CPU has gone offline, or come online (perhaps again). A group of every CPU keeps what it has
  // counted there, and counts on a CPU that has come, if it is on. Others have nothing to do.
  virtual Result<void> follow(int /*cpu*/, bool /*online*/) { return {}; }
};

// Whom to count.
struct Self {};  // the calling thread
struct Launched {
  pid_t pid;
};  // a child that waits before its exec, and all that it starts
struct Process {
  pid_t pid;
};  // every present thread of a process, and all that they start
struct Thread {
  pid_t tid;
};  // one thread alone
struct EveryCpu {};  // whatever runs on any CPU
struct OneCpu {
  int cpu;
};  // whatever runs on this one
using Target = std::variant<Self, Launched, Process, Thread, EveryCpu, OneCpu>;

enum class Start {
  stopped,  // counts after enable()
  at_exec,  // counts from the target's exec on (Launched only; see Capabilities::sees_exec)
};

struct Capabilities {
  PmuKind kind = PmuKind::none;
  // The PMU's own name, "armv8_pmuv3" or "sapphire_rapids", or the model's that is simulated;
  // empty when there is none.
  std::string name;
  bool kernel_mode = true;  // may count what happens in the kernel
  std::string restriction;  // why not, when kernel_mode is false
  bool knows_all = false;   // counts any number of events: what takes turns by wish has a truth
  bool sees_exec = true;    // Start::at_exec is kept to; else enable() right before the exec is it
  std::uint64_t frequency = SampleSpec().frequency;  // of sampling, where the user chooses none
};

// A command that a PMU runs in its own way and in a time of its own. One run; to be kept until its
// counters have been read for the last time.
struct Simulation {
  using Time = std::chrono::nanoseconds;

  virtual ~Simulation() = default;
  // What to launch in the command's place, and the NAME=VALUEs to add to its environment.
  virtual const std::vector<std::string>& command() const = 0;
  virtual const std::vector<std::string>& environment() const = 0;
  // Its time since the launch. It goes on by advance() alone.
  virtual Time now() const = 0;
  // Goes on until `until` (none: for ever), or as far as the command has got. Whether it was
  // reached.
  virtual Result<bool> advance(std::optional<Time> until) = 0;
  // Whether anything has been counted: a command may be killed before.
  virtual bool begun() const = 0;
  // After the command's end, when all that it did has been gone through: what the user should
  // know. `killed` is the signal that ended it. An error when the simulation did not begin by
  // itself.
  virtual Result<std::vector<std::string>> conclude(std::optional<int> killed) = 0;
};

struct Pmu {
  virtual ~Pmu() = default;
  virtual Capabilities capabilities() const = 0;
  virtual Result<Event> resolve(std::string_view spec) const = 0;
  // Opens the events as one group. An error carries the errno, its meaning here and the remedy;
  // nothing stays open then.
  virtual Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events,
                                                     const Target& target, Start start) = 0;
  // Opens the events for sampling. Each is sampled by itself; those of a group get counters at the
  // same time. Not every PMU can.
  virtual Result<std::unique_ptr<Sampler>> sample(std::span<const EventGroup> /*groups*/,
                                                  const Target& /*target*/, Start /*start*/,
                                                  const SampleSpec& /*spec*/) {
    return failure("this PMU counts, it does not sample", "leave --pmu out, or count: tacho stat");
  }
  // For a PMU that can count a command only by running it itself; else nothing. To be called before
  // the launch and the opening. `finest` is the shortest and `longest` the longest stretch of its
  // time that one count may stand for.
  virtual Result<std::unique_ptr<Simulation>> simulate(std::span<const std::string> /*command*/,
                                                       Simulation::Time /*finest*/,
                                                       Simulation::Time /*longest*/) {
    return nullptr;
  }
  // For a PMU that keeps its counters itself: how often it must attend() to them while they are on.
  virtual std::optional<std::chrono::nanoseconds> attend_within() const { return std::nullopt; }
  virtual void attend() {}
  // After a run: what the user should know of how it was counted.
  virtual std::vector<std::string> remarks() { return {}; }
};

}  // namespace tacho
