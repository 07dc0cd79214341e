// CountingPlan: the events to count and the read method. It is made once, by opening the events in
// the calling thread. Each thread then opens its counters from this plain value.
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
  std::vector<std::optional<Error>> refused;  // by event: why it cannot be counted
  // Indices into `events`: the group that is counted all the time, and the sets that take turns.
  std::vector<std::size_t> always;
  std::vector<std::vector<std::size_t>> sets;
  std::vector<std::optional<std::size_t>> set_of;  // by event: the set that it is in
  // An event of `always`, by which the counts of the sets are scaled. Without it, ticks are used.
  std::optional<std::size_t> reference;
  SelfGroup::Wish wish;
  bool by_registers = false;  // the registers of an ARM core, without the kernel; there are no sets
  std::string explanation;    // see Counters::explain()

  ReadMethod read_method() const;
};

// `counters` is for tests: the plan is made as if the PMU had that many, for software events, too.
CountingPlan plan_counting(const std::vector<std::string>& names, CountScope scope,
                           std::optional<int> counters = std::nullopt);

// The event names in a list that is separated by commas.
std::vector<std::string> names_in(std::string_view list);

}  // namespace tacho::caliper
