// Record: the figures of one region in one thread. The thread writes them while reports read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "caliper/sketch.hpp"
#include "caliper/turns.hpp"

namespace tacho::caliper {

using Count32 = Cell<std::uint32_t>;
using Count64 = Cell<std::uint64_t>;

// The figures of one quantity over single executions.
struct Figures {
  Count64 executions;
  Count64 sum;
  Count64 inverted_minimum;  // ~minimum, so that 0 means that there is none
  Count64 maximum;
  // What was subtracted for inner regions from executions of which less than that was left.
  Count64 outweighed;
  Sketch sketch;

  void add(std::uint64_t value) noexcept {
    executions.add(1);
    sum.add(value);
    if (~value > inverted_minimum.get()) inverted_minimum.set(~value);
    if (value > maximum.get()) maximum.set(value);
    sketch.add(value);
  }
  // Causes the page faults of the buckets for common values now, outside of any region.
  void touch() noexcept {
    executions.set(0);
    sketch.touch();
  }
};

// A record is in memory that the kernel filled with zeros. Most of it is never touched, so it has
// no constructor. The figures of the events follow it in memory, and then the series of the events
// that take turns.
struct Record {
  std::uint32_t running;  // executions that have begun and not ended; for the owning thread only
  std::uint32_t events;
  std::uint32_t series;  // the number of events, or 0
  // One of this number + 1 executions, a power of two, is in the trace.
  Count32 left_out_of_trace;
  Count64 begun;  // outermost executions
  Count64 recursions;
  Count64 reference;  // over all executions, if events take turns
  // Executions inside those that ended. Their cost was subtracted.
  Count64 inner;
  Count64 inner_unmeasured;
  Count64 inner_ticks;  // of the measured ones, without their cost
  // The code that began the first execution that was left open, or null.
  Cell<const void*> left_open_by;
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

// Returns null if memory runs out. Adding values up to 1.5 million causes no page faults.
Record* make_record(std::uint32_t events, bool take_turns) noexcept;
void clear_record(Record* record) noexcept;  // in the owning thread, while no execution runs
void free_record(Record* record) noexcept;

}  // namespace tacho::caliper
