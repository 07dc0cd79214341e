// The CPUs that went offline or came while every one was sampled: the kernel takes a CPU's events
// away for good, and what runs there later is in no sample.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pmu/perf/cpu_watch.hpp"

namespace tacho {

class CpuAbsences {
 public:
  // Starts with the CPUs that are online now; `online` lists them.
  explicit CpuAbsences(const std::string& online = "/sys/devices/system/cpu/online");

  // To be called often, `at_s` after the beginning.
  void look(double at_s);

  // Of each CPU that was not sampled to the end, at `end_s`: since when.
  std::vector<std::string> warnings(double end_s) const;

 private:
  struct Absence {
    double since_s = 0;  // the last look at which nothing was missing
    bool was_there = false;
    bool is_there = false;
  };

  CpuWatch watch_;
  double looked_s_ = 0;
  std::map<int, Absence> absences_;
};

}  // namespace tacho
