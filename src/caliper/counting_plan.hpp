// CountingPlan: the events to count and the read method. It is made once (plan_counting.hpp), by
// opening the events in the calling thread. Each thread then opens its counters from this plain
// value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "events/event.hpp"
#include "pmu/perf/self_group.hpp"
#include "tacho/counters.hpp"

namespace tacho::caliper {

struct CountingPlan {
  std::vector<Event> events;  // first the requested ones, in their order
  std::size_t requested = 0;
  std::vector<std::size_t> unknown;           // requested events with a name that no PMU knows
  std::vector<std::optional<Error>> refused;  // by event: why it cannot be counted
  // Indices into `events`: the group that is counted all the time, and the sets that take turns.
  std::vector<std::size_t> always;
  std::vector<std::vector<std::size_t>> sets;
  std::vector<std::optional<std::size_t>> set_of;  // by event: the set that it is in
  // On unequal cores `always` has no events of the core, and there are no sets. `of_cores` has the
  // events of each core PMU: they are counted all the time that the thread is on its cores.
  std::vector<std::vector<std::size_t>> of_cores;
  // By requested event: the indices of its parts, one for each core PMU, whose sum it is; else
  // empty.
  std::vector<std::vector<std::size_t>> parts;
  bool all_cores = false;  // `of_cores` has a group for each core PMU of the machine
  // An event of `always`, by which the counts of the sets are scaled. Without it, ticks are used.
  std::optional<std::size_t> reference;
  SelfGroup::Wish wish;
  bool by_registers = false;  // the registers of an ARM core, without the kernel; there are no sets
  std::string explanation;    // see Counters::explain()

  // Whether an event of the core is counted by `of_cores`.
  bool is_of_cores(std::size_t event) const {
    return event < parts.size() && (!parts[event].empty() || !events[event].core_pmu.empty());
  }
  ReadMethod read_method() const {
    if (always.empty() && sets.empty() && of_cores.empty()) return ReadMethod::none;
    if (by_registers) return ReadMethod::registers;
    return wish.user_reads ? ReadMethod::user_page : ReadMethod::system_call;
  }
};

}  // namespace tacho::caliper
