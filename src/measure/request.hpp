// The request for one measurement: what to run or watch, and how to divide its time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_topology.hpp"
#include "process/asked_targets.hpp"
#include "process/counting_control.hpp"
#include "process/launch.hpp"

namespace tacho {

// A control group, by the name that the user gave.
struct NamedCgroup {
  std::string name;
  int directory = -1;       // a descriptor, which the caller keeps open
  bool in_another = false;  // another one of the request counts what runs in it, too
};

struct MeasureRequest {
  // The command to launch; without words, none. With another target, only its duration matters.
  Launch launch = {};
  // The longest real time for which the command may run, from its exec on. Then it is killed with
  // everything that it started. Time while tacho itself is stopped (Ctrl-Z) counts, too.
  std::optional<std::chrono::nanoseconds> limit = {};
  // Count these instead of the command: one of the two.
  AskedTargets targets = {};
  std::vector<NamedCgroup> cgroups = {};  // what runs in these control groups; each is a part
  bool alone = false;  // without the threads and processes that the target starts from now on
  // One part for each present thread of the processes, or for each part of the machine.
  bool per_thread = false;
  std::optional<CpuPart> per = {};

  // Whether CPUs are counted, and not tasks. With -a and a part for each thread, all tasks are.
  bool counts_cpus() const { return targets.are_cpus() && !per_thread; }
  bool counts_command() const { return targets.are_a_command() && cgroups.empty(); }
  std::chrono::nanoseconds longest_period = std::chrono::milliseconds(10);
  std::optional<std::chrono::nanoseconds> interval = {};  // how often to call Listener::interval
  std::uint64_t seed = 0;                                 // of the random order of the sets
  // Counting begins so long after the start; max(): not before a command says so. Nothing: at the
  // start.
  std::optional<std::chrono::nanoseconds> delay = {};
  CountingControl* control = nullptr;  // turns counting on and off meanwhile; null: nobody does
  // Counting ends so long after the start, and a launched command is asked to end.
  std::optional<std::chrono::nanoseconds> timeout = {};
  std::optional<std::uint64_t> intervals = {};  // counting ends after so many of them

  // Whether counting may be off for a part of the run.
  bool is_switched() const { return delay || control != nullptr || timeout || intervals; }
};

}  // namespace tacho
