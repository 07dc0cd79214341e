// What is to be counted, and how: found out once, by trying it in the calling thread. A plain value
// from which each thread opens its counters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "events/event.hpp"
#include "pmu/self_group.hpp"
#include "tacho/counters.hpp"

namespace tacho::caliper {

struct Counting {
  // Counted all the time as one group, and groups that take turns: places in `events`, whose first
  // ones are those that were asked for.
  std::vector<Event> events;
  std::size_t asked = 0;
  std::vector<std::optional<Error>> refused;  // an event: why it can't be counted
  std::vector<std::size_t> always;
  std::vector<std::vector<std::size_t>> sets;
  std::vector<std::optional<std::size_t>> set_of;  // an event: which of the sets it is in
  // Counted always, and what the estimates of turned events go with; none: the ticks.
  std::optional<std::size_t> reference;
  SelfGroup::Wish wish;
  bool by_registers = false;  // of an ARM core, without the kernel: what counts always is all
  std::string explanation;

  ReadMethod read_method() const;
};

// `counters` pretends that there are that many, software events included.
Counting plan_counting(const std::vector<std::string>& names, CountScope scope,
                       std::optional<int> counters = std::nullopt);

// Between the commas that separate events.
std::vector<std::string> names_in(std::string_view list);

}  // namespace tacho::caliper
