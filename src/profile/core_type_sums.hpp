// A processor with two types of cores counts an event once for each. Such events are shown as one:
// their sum.
#pragma once

#include <vector>

#include "perfdata/record.hpp"

namespace tacho {

// The events that were recorded once for each type of core, without the name of a PMU: "cycles:P".
// Raw encodings are no such events: the
// same number can mean different things on two types.
std::vector<perfdata::EventSum> core_type_sums(const perfdata::Description&);

}  // namespace tacho
