// Event modifiers: the letters behind an event's name (`:u`, `:kp`), explained in perf-list(1).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// Applies the letters to the event:
//   u k h    count only at the named levels: user, kernel, hypervisor
//   G H      count only in guests, only in the host (both: everywhere)
//   I        not while idle
//   p pp ppp sample precisely, perf_event_attr.precise_ip
//   P        sample with the highest of these levels that works
//   D        pinned to the PMU
//   e        no other group uses the PMU at the same time
//   W        the group may be divided if it does not fit
//   S        the group's leader takes the samples, with the counts of all members
// perf also knows b; tacho rejects it with a reason. Errors name `spec`.
// The letters are added to the modifiers that the event has already.
Result<void> apply_modifiers(std::string_view letters, std::string_view spec, Event& event);

// Whether the text consists of perf's modifier letters, supported or not; false for empty text.
bool are_modifiers(std::string_view text);

// Splits `cycles:u` into `cycles` and `u`. The second part is empty if there are no modifiers.
std::pair<std::string_view, std::string_view> split_modifiers(std::string_view spec);

// The spec with the letters added to its own modifiers: `a` and `u` give `a:u`, `a:u` and `uk`
// give `a:uk`, `cpu/event=1/` and `u` give `cpu/event=1/u`.
std::string with_modifiers(std::string_view spec, std::string_view letters);

}  // namespace tacho
