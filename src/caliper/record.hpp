// What one thread has measured of one region. The thread writes, reports read meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "caliper/sketch.hpp"
#include "caliper/turns.hpp"

namespace tacho::caliper {

using Count64 = Cell<std::uint64_t>;

// A quantity's figures of single executions.
struct Figures {
  Count64 executions;
  Count64 sum;
  Count64 least_inverted;  // ~minimum, so that zeros mean none
  Count64 most;
  Sketch sketch;

  void add(std::uint64_t value) noexcept {
    executions.add(1);
    sum.add(value);
    if (~value > least_inverted.get()) least_inverted.set(~value);
    if (value > most.get()) most.set(value);
    sketch.add(value);
  }
  // The page faults of the common values' buckets belong here, not into a region.
  void touch() noexcept {
    executions.set(0);
    sketch.touch();
  }
};

// Lies in memory that came as zeros, most of which is never touched: it has no constructor that
// would. Behind it lie the figures of the events, and the series of those that take turns.
struct Record {
  std::uint32_t running;  // executions that have begun and not ended; the owning thread's alone
  std::uint32_t events;
  std::uint32_t series;  // as many as events, or none
  Count64 begun;         // outermost executions
  Count64 recursions;
  Count64 reference;  // of all executions, where events take turns
  // Executions inside of those that ended, whose cost was taken off.
  Count64 inner;
  Count64 inner_unmeasured;
  Figures ticks;

  Figures& event(std::size_t i) noexcept { return reinterpret_cast<Figures*>(this + 1)[i]; }
  TurnSeries& turns_of(std::size_t event) noexcept {
    return reinterpret_cast<TurnSeries*>(&this->event(events))[event];
  }
  const Figures& event(std::size_t i) const noexcept { return const_cast<Record*>(this)->event(i); }
  const TurnSeries& turns_of(std::size_t event) const noexcept {
    return const_cast<Record*>(this)->turns_of(event);
  }
};

// Null when memory is out. Values of up to 2^21 cause no page faults any more.
Record* make_record(std::uint32_t events, bool take_turns) noexcept;
void clear_record(Record* record) noexcept;  // by the owning thread, with no execution running
void drop_record(Record* record) noexcept;

}  // namespace tacho::caliper
