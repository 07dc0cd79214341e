// A processor with two types of cores counts an event once for each. Such events are shown as one:
// their sum.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perfdata/record.hpp"

namespace tacho {

struct CoreTypeSum {
  std::string name;                // of the event without the name of a PMU: "cycles:P"
  std::vector<std::size_t> parts;  // in Description::events, one for each type of core
};

// The events that were recorded once for each type of core. Raw encodings are no such events: the
// same number can mean different things on two types.
std::vector<CoreTypeSum> core_type_sums(const perfdata::Description&);

}  // namespace tacho
