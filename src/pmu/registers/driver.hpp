// The interface that drives one core's counters through its registers: it configures, starts, stops
// and reads them, and notices changes by others. After some calls, check Registers::settle() before
// the results are used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pmu/registers/registers.hpp"

namespace tacho::arm {

// Counters have numbers: the event counters from 0 on, and this one for the cycle counter. A mask
// has one bit for each counter.
inline constexpr int kCycleCounter = 31;
inline constexpr int kPlaces = 32;  // counters that a mask can have

// From this number on, events differ from core to core.
inline constexpr std::uint16_t kCommonEvents = 0x40;

constexpr std::uint32_t bit(int counter) {
  return std::uint32_t{1} << static_cast<unsigned>(counter);
}

// The configuration of a counter.
struct Setting {
  std::uint16_t event = 0;  // the event's number
  bool user = true;         // counts in user mode
  bool kernel = true;       // counts in kernel mode
  bool divided = false;     // cycles only: one count for 64 cycles

  bool filtered() const { return !user || !kernel; }
  bool operator==(const Setting&) const = default;
};

// A value for each counter, by the counter's number.
template <class Value>
class PerCounter {
 public:
  Value& operator[](int counter) { return values_[static_cast<std::size_t>(counter)]; }
  const Value& operator[](int counter) const { return values_[static_cast<std::size_t>(counter)]; }

 private:
  std::array<Value, kPlaces> values_{};
};

// The counters' registers at one moment.
struct Snapshot {
  PerCounter<std::uint64_t> values;
  std::uint32_t overflowed = 0;  // since clear_overflows()
};

class Driver {
 public:
  explicit Driver(Registers& registers) : registers_(registers) {}
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // The width of the cycle counter's register in bits. Event counters have 32 bits.
  virtual unsigned cycle_bits() const = 0;
  // Whether the counters can separate user mode and kernel mode.
  virtual bool tells_modes() const = 0;
  // The number of the event that counts cycles in an event counter.
  virtual std::uint16_t cycles_event() const = 0;
  // Whether the core has the event; nothing if the core does not report that. No core reports its
  // own events, and some do not report the common events either.
  virtual std::optional<bool> has(std::uint16_t event) const = 0;

  // To be called first: remembers the registers' state.
  virtual void take_over() = 0;
  // Enables the counters as a whole, and stops each event counter.
  virtual void turn_on() = 0;
  // Stops a counter, configures it and clears it. The cycle counter is not cleared, because others
  // may be reading it.
  virtual void configure(int counter, const Setting& setting) = 0;
  virtual void start(std::uint32_t counters) = 0;
  virtual void stop(std::uint32_t counters) = 0;
  virtual Snapshot read(std::uint32_t counters) = 0;
  virtual void clear_overflows(std::uint32_t counters) = 0;
  // Whether these counters are on and still have their configuration.
  virtual bool intact(std::uint32_t counters) = 0;
  // The first event of these counters whose number is wider than the core's registers, which then
  // keep only a part of it.
  virtual std::optional<std::uint16_t> too_wide(std::uint32_t /*counters*/) const { return {}; }
  // To be called last: restores the state that take_over() found.
  virtual void give_back() = 0;

 protected:
  Registers& registers() { return registers_; }

 private:
  Registers& registers_;
};

}  // namespace tacho::arm
