// Finds what a request wants to be counted.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/request.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct NamedTarget {
  std::string name;  // of its part of the Measurement: "4711 (worker)", "CPU 3"; empty: the whole
  std::vector<int> cpus = {};  // of a part of the machine
  bool of_one_kind = false;    // these CPUs are one core's
  bool in_another = false;     // another target counts the same, too: it is left out of the sum
  Target target;

  // One of its CPUs, if they are of one kind.
  std::optional<int> cpu() const {
    return of_one_kind ? std::optional(cpus.front()) : std::nullopt;
  }
};

// Returns the targets of the request. `launched` is the process of the command.
Result<std::vector<NamedTarget>> find_targets(const MeasureRequest& request, pid_t launched);

}  // namespace tacho
