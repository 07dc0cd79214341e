// Record: the figures of one region in one thread, and the room for them. The thread writes the
// figures while reports read them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "caliper/sketch.hpp"
#include "caliper/turns.hpp"

namespace tacho::caliper {

using Count32 = Cell<std::uint32_t>;
using Count64 = Cell<std::uint64_t>;

// The figures of one quantity over single executions.
struct Figures {
  // So many values are kept as they are. Then there is a sketch: a program with very many regions
  // executes most of them rarely.
  static constexpr std::size_t kFirst = 16;

  Count64 executions;
  Count64 sum;
  Count64 inverted_minimum;  // ~minimum, so that 0 means that there is none
  Count64 maximum;
  // What was subtracted for inner regions from executions of which less than that was left.
  Count64 outweighed;
  std::array<Cell<std::uint64_t>, kFirst> first;

  // How many values `first` has.
  std::size_t firsts() const noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(executions.get(), kFirst));
  }
  // All but the distribution.
  [[gnu::always_inline]] void add(std::uint64_t value) noexcept {
    executions.add(1);
    sum.add(value);
    if (~value > inverted_minimum.get()) inverted_minimum.set(~value);
    if (value > maximum.get()) maximum.set(value);
  }
};

struct Note;

// A record is in memory of zeros, and has no constructor. The figures of the events follow it in
// memory, and then the series of the events that take turns. The sketches are in front of it, if it
// has some: those of the events, and then that of the ticks.
struct Record {
  Note* notes;            // of the region's executions; null if there are none
  Record* larger;         // where there is room for it with sketches; null if it has them
  std::uint32_t running;  // executions that have begun and not ended; for the owning thread only
  std::uint32_t events;
  std::uint32_t series;  // the number of events, or 0
  // One of this number + 1 executions, a power of two, is in the trace.
  Count32 left_out_of_trace;
  bool is_gate;   // tacho counts while the region runs (region_gate.hpp)
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

  bool has_sketches() const noexcept { return larger == nullptr; }
  // Whether no value can be added without sketches.
  bool is_full() const noexcept {
    return !has_sketches() && ticks.executions.get() >= Figures::kFirst;
  }

  // Quantity 0 is the ticks, and the others are the events.
  Figures& figures(std::size_t quantity) noexcept { return (&ticks)[quantity]; }
  // There must be sketches.
  Sketch& sketch(std::size_t quantity) noexcept {
    return *(reinterpret_cast<Sketch*>(this) - 1 - quantity);
  }
  [[gnu::always_inline]] void add(std::size_t quantity, std::uint64_t value) noexcept {
    sketch(quantity).add(value);
    figures(quantity).add(value);
  }
  // The same without sketches. The record must not be full.
  void add_first(std::size_t quantity, std::uint64_t value) noexcept {
    Figures& of = figures(quantity);
    of.first[of.firsts()].set(value);
    of.add(value);
  }
  TurnSeries& turns_of(std::size_t event) noexcept {
    return reinterpret_cast<TurnSeries*>(&figures(1 + events))[event];
  }
  const Figures& figures(std::size_t quantity) const noexcept { return (&ticks)[quantity]; }
  const Sketch& sketch(std::size_t quantity) const noexcept {
    return const_cast<Record*>(this)->sketch(quantity);
  }
  const TurnSeries& turns_of(std::size_t event) const noexcept {
    return const_cast<Record*>(this)->turns_of(event);
  }
};

// Moves a record to where there is room for sketches, and returns it. Adding values up to 1.5
// million then causes no page faults.
Record* move_to_sketches(const Record& full) noexcept;
void clear_record(Record* record) noexcept;  // in the owning thread, while no execution runs

// The memory of a thread's records. Memory with sketches is reserved with the first execution of a
// region, and used when the record is full. So later executions allocate nothing.
class RecordRoom {
 public:
  RecordRoom() = default;
  ~RecordRoom();
  RecordRoom(const RecordRoom&) = delete;
  RecordRoom& operator=(const RecordRoom&) = delete;

  // Valid until the room is destroyed. Returns null if memory runs out.
  Record* make(std::uint32_t events, bool take_turns) noexcept;

 private:
  // Small records, and then the places of as many with sketches.
  struct Chunk {
    char* memory = nullptr;
    std::size_t bytes = 0;
    std::uint32_t events = 0;
    std::uint32_t series = 0;
    std::size_t used = 0;  // records
  };
  bool add_chunk(std::uint32_t events, std::uint32_t series) noexcept;

  std::vector<Chunk> chunks_;
};

}  // namespace tacho::caliper
