// What is to be counted or sampled, as the user asks for it.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.hpp"

namespace tacho {

// At most one of these is asked for; if none is, it is a command that tacho launches.
struct AskedTargets {
  std::vector<pid_t> pids = {};  // processes, and what they start
  std::vector<pid_t> tids = {};  // threads, and what they start
  bool every_cpu = false;        // everything that runs on any CPU
  std::vector<int> cpus = {};  // everything that runs on these CPUs; every_cpu does not matter then

  bool are_cpus() const { return every_cpu || !cpus.empty(); }
  bool are_a_command() const { return pids.empty() && tids.empty() && !are_cpus(); }
  int kinds() const { return !pids.empty() + !tids.empty() + are_cpus(); }
};

// An error if they exclude each other, if one is named twice, or if there is no such thread or CPU.
Result<void> check(const AskedTargets& targets);

}  // namespace tacho
