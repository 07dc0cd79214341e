// Event modifiers: the letters behind an event's name (`:u`, `:kp`), as perf-list(1) explains them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// Gives the event what the letters say:
//   u k h    count only at the named levels: user, kernel, hypervisor
//   G H      count only in guests, only in the host (both: everywhere)
//   I        not while idle
//   p pp ppp sample precisely, perf_event_attr.precise_ip
//   D        pinned to the PMU
// P S W e b are known to perf and not to tacho: each gets an error that says why. `spec` is named
// in errors. Modifiers add to what the event has already.
Result<void> apply_modifiers(std::string_view letters, std::string_view spec, Event& event);

// All of the text are letters of modifiers (perf's, supported or not); false for empty text.
bool are_modifiers(std::string_view text);

// `cycles:u` into `cycles` and `u`; the second is empty when the last part is not modifiers.
std::pair<std::string_view, std::string_view> split_modifiers(std::string_view spec);

// The spec with the letters added to those it has: `a` and `u` give `a:u`, `a:u` and `uk` give
// `a:uk`, `cpu/event=1/` and `u` give `cpu/event=1/u`.
std::string with_modifiers(std::string_view spec, std::string_view letters);

}  // namespace tacho
