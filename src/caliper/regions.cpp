// The hot path: begin and end of a region. As little code as possible runs between the two readings
// of the clock, and always the same. tests/lab/test_calipers.py counts its instructions.
#include "caliper/regions.hpp"

#include <algorithm>

#include "caliper/add_note.hpp"
#include "caliper/add_to_trace.hpp"
#include "caliper/clock.hpp"
#include "caliper/left_open.hpp"
#include "caliper/region_gate.hpp"
#include "caliper/region_switch.hpp"
#include "caliper/registry.hpp"
#include "caliper/thread_start.hpp"
#include "tacho/caliper.hpp"
#include "tacho/ticks.hpp"

namespace tacho {
namespace {

using caliper::begin_ticks;
using caliper::BeginPlace;
using caliper::Counted;
using caliper::Frame;
using caliper::Inner;
using caliper::OwnCost;
using caliper::PathNode;
using caliper::Record;
using caliper::Snapshot;
using caliper::this_thread;  // NOLINT(misc-unused-using-decls): the check misses the use
using caliper::Thread;
using caliper::TurnSeries;

// Does what another process asks for. Returns whether regions are on then, and sets `state` to it.
[[gnu::always_inline]] inline bool is_on_at_begin(std::uint32_t& state) noexcept {
  state = detail::regions_state();
  if ((state & detail::kBeginMask) == detail::kOn) [[likely]]
    return true;
  if ((state & detail::kRequests) == 0) return false;
  caliper::obey_requests();
  state = detail::regions_state();
  return (state & detail::kOn) != 0;
}

Record* record_of(const Thread& thread, std::uint32_t region) {
  return region < thread.size ? thread.records[region] : nullptr;
}

[[gnu::noinline, gnu::cold]] std::uint32_t other_child(Thread& thread, std::uint32_t parent,
                                                       std::uint32_t region) noexcept {
  return caliper::Registry::get().path_child(*thread.paths, parent, region);
}

[[gnu::always_inline]] inline std::uint32_t path_of(Thread& thread, std::uint32_t parent,
                                                    std::uint32_t region) noexcept {
  const std::uint32_t latest = thread.paths->latest_child(parent, region);
  return latest != 0 ? latest : other_child(thread, parent, region);
}

[[gnu::always_inline]] inline void push(Thread& thread, std::uint32_t region, Record* record,
                                        BeginPlace place, std::uint32_t state) {
  if (thread.depth >= Thread::kMaxDepth && !caliper::make_room(thread, place)) [[unlikely]] {
    ++thread.depth;
    thread.too_deep.add(1);
    return;
  }
  if (record != nullptr && record->running != 0) [[unlikely]]
    caliper::drop_left_open(thread, region, place);
  const std::uint32_t at = thread.depth++;
  Frame& frame = thread.frames[at];
  frame.region = region;
  frame.record = record;
  frame.inner = {};
  frame.paused = 0;
  frame.place = place;
  frame.turn = caliper::turn_of(state);
  frame.counted = false;
  frame.measured = record != nullptr && record->running++ == 0;
  frame.path = at > 0 ? thread.frames[at - 1].path : 0;
  if (frame.measured) {
    frame.path = path_of(thread, frame.path, region);
    record->begun.add(1);
    if (record->is_gate) [[unlikely]]
      caliper::enter_gate();
    if (thread.live != nullptr) {
      if (thread.live->turn_is_due()) thread.live->turn();
      frame.counted = thread.live->read(thread.starts[at]);
    }
  }
  frame.ticks = begin_ticks(frame.counted && thread.live->by_system_call());
}

// Adds an execution without the cost of the regions inside. The figure is at least the cost of an
// empty region. Returns it.
[[gnu::always_inline]] inline std::uint64_t add_without_inner(const Frame& frame,
                                                              std::size_t quantity,
                                                              std::uint64_t gained,
                                                              const OwnCost& cost) {
  const Inner& inner = frame.inner;
  caliper::Figures& figures = frame.record->figures(quantity);
  if (inner.any()) {
    const std::uint64_t subtracted = cost.of(inner);
    gained = std::max(gained - std::min(gained, subtracted), cost.inside);
    if (gained - cost.inside < subtracted) figures.outweighed.add(subtracted);
  }
  if (frame.record->has_sketches()) [[likely]]
    frame.record->add(quantity, gained);
  else
    caliper::add_first(*this_thread, frame, quantity, gained);
  return gained;
}

void add_single(const Frame& frame, const Counted& counted, const Snapshot& start,
                const Snapshot& now) {
  const std::uint64_t gained = now.values[counted.event] - start.values[counted.event];
  add_without_inner(frame, 1 + counted.event, gained, counted.cost);
}

// Adds the counts of an execution to the round of the event's set. If the set was active from begin
// to end, the execution also counts as a single one.
void add_turned(const Thread& thread, const Frame& frame, const Counted& counted,
                const Snapshot& start, const Snapshot& now, std::size_t set) {
  const std::uint64_t covered = now.covered[set] - start.covered[set];
  if (covered == 0) return;
  std::uint64_t gained = now.values[counted.event] - start.values[counted.event];
  if (start.turns == now.turns) {
    gained = add_without_inner(frame, 1 + counted.event, gained, counted.cost);
    gained -= std::min(gained, counted.cost.inside);
  } else {
    // It is not known how many regions inside were measured while the set was active. Their number
    // is assumed to be in proportion to the time.
    const double part =
        static_cast<double>(covered) / static_cast<double>(now.reference - start.reference);
    const double cost = part * static_cast<double>(counted.cost.of(frame.inner));
    gained -= std::min(gained, static_cast<std::uint64_t>(cost));
  }
  TurnSeries& series = frame.record->turns_of(counted.event);
  const std::uint32_t round = thread.live->round();
  if (!series.has_place(round)) [[unlikely]]
    caliper::Registry::get().make_place(series, round);
  series.add(round, covered, gained);
}

[[gnu::noinline]] void add_all_turned(const Thread& thread, const Frame& frame,
                                      const Snapshot& start, const Snapshot& now) {
  if (start.sets_lost_ns != now.sets_lost_ns) return;
  frame.record->reference.add(now.reference - start.reference);
  for (const Counted& counted : thread.counted) {
    if (const auto set = thread.live->set_of(counted.event))
      add_turned(thread, frame, counted, start, now, *set);
    else
      add_single(frame, counted, start, now);
  }
}

// Ignores an execution during which a group had no counters for a while.
void add_events(const Thread& thread, const Frame& frame, const Snapshot& start,
                const Snapshot& now) {
  if (start.lost_ns != now.lost_ns) return;
  if (thread.live->takes_turns()) {
    add_all_turned(thread, frame, start, now);
    return;
  }
  for (const Counted& counted : thread.counted) add_single(frame, counted, start, now);
}

// Ends the execution of the top frame, during which regions were off.
[[gnu::noinline, gnu::cold]] void pop_unmeasured(Thread& thread) {
  const Frame& frame = thread.frames[--thread.depth];
  if (frame.record == nullptr) return;
  --frame.record->running;
  if (!frame.measured) return;
  frame.record->begun.set(frame.record->begun.get() - 1);
  caliper::drop_notes(*frame.record);
  if (frame.record->is_gate) caliper::leave_gate();
}

// Ends the execution of the top frame.
[[gnu::always_inline]] inline void pop(Thread& thread, std::uint64_t now, std::uint32_t state) {
  // The frame was pushed while regions were on.
  if (thread.frames[thread.depth - 1].turn != caliper::turn_of(state)) [[unlikely]] {
    pop_unmeasured(thread);
    return;
  }
  const std::uint32_t at = --thread.depth;
  const Frame& frame = thread.frames[at];
  if (frame.counted) {
    Snapshot counts;
    if (thread.live->read(counts)) add_events(thread, frame, thread.starts[at], counts);
  }
  std::uint64_t ticks = frame.inner.ticks;
  if (frame.record != nullptr) {
    --frame.record->running;
    if (frame.measured) {
      PathNode& path = thread.paths->nodes[frame.path];
      if (frame.inner.any()) [[unlikely]] {
        frame.record->inner.add(frame.inner.measured);
        frame.record->inner_unmeasured.add(frame.inner.unmeasured);
        frame.record->inner_ticks.add(frame.inner.ticks);
        path.inner.add(frame.inner.ticks);
      }
      ticks = add_without_inner(frame, 0, now - frame.ticks, thread.cost);
      path.executions.add(1);
      path.ticks.add(ticks);
      ticks -= std::min(ticks, thread.cost.inside);
      if (thread.trace != nullptr) [[unlikely]]
        caliper::add_to_trace(thread, frame, now);
      if (frame.record->notes != nullptr) [[unlikely]]
        caliper::end_notes(thread, *frame.record);
      if (frame.record->is_gate) [[unlikely]]
        caliper::leave_gate();
    } else {
      frame.record->recursions.add(1);
    }
  }
  if (at > 0) {
    Inner& around = thread.frames[at - 1].inner;
    around.measured += frame.inner.measured + (frame.measured ? 1 : 0);
    around.unmeasured += frame.inner.unmeasured + (frame.measured ? 0 : 1);
    around.ticks += ticks;
  }
}

// `region` is 0 if the site has never begun.
[[gnu::noinline, gnu::cold]] void end_out_of_order(Thread& thread, std::uint32_t region,
                                                   std::uint64_t now, std::uint32_t state) {
  if (thread.depth > Thread::kMaxDepth && region != 0) {
    --thread.depth;
    return;
  }
  std::uint32_t at = thread.depth;
  while (at > 0 && thread.frames[at - 1].region != region) --at;
  if (at == 0) {
    caliper::end_unmatched();
    return;
  }
  while (thread.depth > at) caliper::drop_frame(thread, thread.depth - 1);
  pop(thread, now, state);
}

// Returns false if the region is not that of the top frame.
[[gnu::always_inline]] inline bool end_top(Thread& thread, std::uint32_t region, std::uint64_t now,
                                           std::uint32_t state) {
  const std::uint32_t top = thread.depth - 1;
  if (top >= Thread::kMaxDepth || thread.frames[top].region != region) [[unlikely]]
    return false;
  pop(thread, now, state);
  return true;
}

// For a region that the calling thread has not executed.
[[gnu::noinline, gnu::cold]] void begin_first(std::uint32_t region, BeginPlace place,
                                              std::uint32_t state) noexcept {
  if (region == 0) return;
  if (Thread* const thread = caliper::prepare(region))
    push(*thread, region, record_of(*thread, region), place, state);
}

// For a site that has not begun before.
[[gnu::noinline, gnu::cold]] void begin_new(std::atomic<std::uint32_t>& number,
                                            std::string_view name, BeginPlace place,
                                            std::uint32_t state) noexcept {
  const std::uint32_t region = caliper::number_of(name);
  number.store(region, std::memory_order_relaxed);
  if (region == 0)
    caliper::begin_unmeasured();
  else
    begin_first(region, place, state);
}

[[gnu::always_inline]] inline void begin_at(std::uint32_t region, BeginPlace place,
                                            std::uint32_t state) noexcept {
  Thread& thread = *this_thread;
  Record* const record = record_of(thread, region);
  if (record == nullptr) [[unlikely]]
    begin_first(region, place, state);
  else
    push(thread, region, record, place, state);
}

}  // namespace

void caliper::begin(std::uint32_t region, BeginPlace place) noexcept {
  std::uint32_t state = 0;
  if (is_on_at_begin(state)) begin_at(region, place, state);
}

void caliper::end(std::uint32_t region) noexcept {
  const std::uint64_t now = end_ticks();
  const std::uint32_t state = detail::regions_state();
  Thread& thread = *this_thread;
  if (!end_top(thread, region, now, state) && region != 0)
    end_out_of_order(thread, region, now, state);
}

void v0::detail::note_now(std::string_view name, std::uint64_t value) noexcept {
  caliper::add_note(*this_thread, name, value);
}

void RegionSite::begin_now() noexcept {
  const BeginPlace place{.stack = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()),
                         .code = __builtin_return_address(0)};
  std::uint32_t state = 0;
  if (!is_on_at_begin(state)) return;
  const std::uint32_t region = number_.load(std::memory_order_relaxed);
  if (region != 0) [[likely]]
    begin_at(region, place, state);
  else
    begin_new(number_, name_, place, state);
}

void RegionSite::end_now() noexcept {
  const std::uint64_t now = caliper::end_ticks();
  const std::uint32_t state = detail::regions_state();
  const std::uint32_t region = number_.load(std::memory_order_relaxed);
  caliper::Thread& thread = *this_thread;
  if (!end_top(thread, region, now, state)) end_out_of_order(thread, region, now, state);
}

}  // namespace tacho
