// Finds what a request wants to be counted.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/request.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct NamedTarget {
  std::string name;  // of its part of the Measurement: "4711 (worker)", "CPU 3"; empty: the whole
  Target target;
};

// True if the command is counted, and false if the request names a process or every CPU.
bool counts_command(const MeasureRequest& request);

// Returns the targets of the request. `launched` is the process of the command.
Result<std::vector<NamedTarget>> find_targets(const MeasureRequest& request, pid_t launched);

}  // namespace tacho
