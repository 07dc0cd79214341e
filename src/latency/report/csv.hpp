// `tacho latency --csv`: docs/reference/formats.md.
#pragma once

#include <string>

#include "latency/report/report.hpp"

namespace tacho {

// One row for each fact. `kind` says what it describes: tier, tlb, size, parallel, node (`name` is
// the node of the CPU and that of the memory), event (of a list; `name` is the event, `value` its
// figure), trust, or warning. `low` and `high` are the 95 % interval of a tier's capacity, of a
// TLB's entries, and of the times of parallel walks and nodes.
std::string latency_csv(const LatencyReport&);
std::string matrix_csv(const LatencyMatrix&);

}  // namespace tacho
