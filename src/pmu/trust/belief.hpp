// The bounds of an event's count over a loop with known work, and the judgement of such counts.
// Some virtual machines and emulators have counters that read zero, do not advance, or count
// impossible values.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "events/event.hpp"

namespace tacho {

// An event with a certain lower bound for its count over a short loop, and that loop.
struct Yardstick {
  std::uint32_t type = 0;  // perf_event_attr.type and .config of a generic event
  std::uint64_t config = 0;
  std::string_view name;
  std::string_view unit;  // the unit of `work`: "branches"
  void (*loop)(std::uint32_t iterations) = nullptr;
  std::uint32_t iterations = 0;  // of the short run; the long run has twice as many
  std::uint64_t work = 0;        // of one iteration, in `unit`
  // The bounds of the count for each unit of work, without a fixed slack. If `least` is 0, any
  // count above zero is enough.
  double least = 0;
  double most = 0;

  constexpr std::uint64_t short_work() const { return work * iterations; }
  constexpr std::uint64_t long_work() const { return 2 * short_work(); }
};

const Yardstick& instructions_yardstick();
const Yardstick& cycles_yardstick();

// The event's own yardstick, or null. On machines with several core PMUs, the upper half of a
// generic event's config selects one; it is ignored here.
const Yardstick* yardstick_of(const Event& event);

// The yardsticks of the events whose judgement an event without its own yardstick shares. The first
// that opens decides. Empty for raw events and vendors' events.
std::span<const Yardstick* const> companions_of(const Event& event);

// The counts of an event over its yardstick's short run and long run.
struct Trial {
  std::array<std::uint64_t, 2> counts{};
  bool ran = true;        // the event had a counter
  bool user_only = true;  // false: the PMU can't exclude kernel mode
};

enum class Belief {  // in order: a later value is worse
  untried,           // the event could not be opened, so there is no judgement
  plausible,
  dead,     // reads zero, or never had a counter
  garbage,  // counts impossible values
};

struct Judgement {
  Belief belief = Belief::untried;
  std::string reason;  // why the counts are bad, or why an untried event could not be opened
  std::string remedy;  // for an untried event
  Trial trial;
};

Judgement judge(const Yardstick& yardstick, const Trial& trial);

}  // namespace tacho
