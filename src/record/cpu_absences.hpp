// Detects CPUs that go offline or come online while tacho samples every CPU. The kernel removes the
// events of such a CPU for good: later samples do not cover it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pmu/perf/cpu_watch.hpp"

namespace tacho {

class CpuAbsences {
 public:
  // Starts with the CPUs that are online now. `online` is the file that lists them.
  explicit CpuAbsences(const std::string& online = "/sys/devices/system/cpu/online");

  // Compares the list with the last one. To be called often; `at_s` is the time in seconds since
  // the beginning.
  void look(double at_s);

  // One warning for each CPU that was not sampled until `end_s`, with the time since when.
  std::vector<std::string> warnings(double end_s) const;

 private:
  struct Absence {
    double since_s = 0;  // time of the last look before the change
    bool was_there = false;
    bool is_there = false;
  };

  CpuWatch watch_;
  double looked_s_ = 0;
  std::map<int, Absence> absences_;
};

}  // namespace tacho
