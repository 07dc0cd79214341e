// What an event must count over a loop whose work is known: the table of yardsticks, and the pure
// judgement of counts. Virtual machines and emulators have been seen to give counters that read
// zero, stand still, or count the impossible.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "events/event.hpp"

namespace tacho {

// An event whose count over a short loop has a sure lower bound, and the loop.
struct Yardstick {
  std::uint32_t type = 0;  // perf_event_attr.type and .config of a generic event
  std::uint64_t config = 0;
  std::string_view name;
  std::string_view unit;  // what `work` counts: "branches"
  void (*loop)(std::uint32_t iterations) = nullptr;
  std::uint32_t iterations = 0;  // of the short run; the long one takes twice as many
  std::uint64_t work = 0;        // of one iteration, in `unit`
  // What may be counted for each unit of work, beside a fixed slack. 0 means that anything above
  // zero will do.
  double least = 0;
  double most = 0;

  constexpr std::uint64_t short_work() const { return work * iterations; }
  constexpr std::uint64_t long_work() const { return 2 * short_work(); }
};

const Yardstick& instructions_yardstick();
const Yardstick& cycles_yardstick();

// The event's own yardstick, or null. On machines with several core PMUs the upper half of a
// generic event's config says which is meant; it does not matter here.
const Yardstick* yardstick_of(const Event& event);

// The yardsticks whose judgement an event without one of its own shares: the first that opens
// decides. Empty for raw and vendors' events.
std::span<const Yardstick* const> companions_of(const Event& event);

// What an event counted over its yardstick's short run and its long one.
struct Trial {
  std::array<std::uint64_t, 2> counts{};
  bool ran = true;        // it got a counter
  bool user_only = true;  // false where the PMU can't leave the kernel out
};

enum class Belief {  // the later, the worse
  untried,           // it could not be opened: no judgement
  plausible,
  dead,     // reads zero, or never got a counter
  garbage,  // counts what can't be
};

struct Judgement {
  Belief belief = Belief::untried;
  std::string reason;  // what is wrong; of an untried event, why it could not be opened
  std::string remedy;  // of an untried event
  Trial trial;
};

Judgement judge(const Yardstick& yardstick, const Trial& trial);

}  // namespace tacho
