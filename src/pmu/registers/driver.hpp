// Drives one core's counters through its registers: sets them up, starts, stops and reads them, and
// notices when somebody else has been at them. No judgement, no arithmetic. After some calls, what
// they did is to be believed only if Registers::settle() finds nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "pmu/registers/registers.hpp"

namespace tacho::arm {

// Counters go by number: 0 and up those of events, and this one of cycles. A mask has their bits.
inline constexpr int kCycleCounter = 31;
inline constexpr int kPlaces = 32;

// From this number on, a core's events are its own.
inline constexpr std::uint16_t kCommonEvents = 0x40;

constexpr std::uint32_t bit(int counter) {
  return std::uint32_t{1} << static_cast<unsigned>(counter);
}

// What a counter counts.
struct Setting {
  std::uint16_t event = 0;  // its number
  bool user = true;         // the modes in which it counts
  bool kernel = true;
  bool divided = false;  // of cycles: one count each 64

  bool filtered() const { return !user || !kernel; }
  bool operator==(const Setting&) const = default;
};

struct Snapshot {
  std::array<std::uint64_t, kPlaces> values{};
  std::uint32_t overflowed = 0;  // since clear_overflows()
};

class Driver {
 public:
  explicit Driver(Registers& registers) : registers_(registers) {}
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Bits of the cycle counter's register; those of events have 32.
  virtual unsigned cycle_bits() const = 0;
  // Whether its counters can tell user mode from the kernel's.
  virtual bool tells_modes() const = 0;
  // The event that counts cycles in a counter of events.
  virtual std::uint16_t cycles_event() const = 0;
  // Whether the core has the event; nothing where it does not tell: of events of its own no core
  // does, and some don't of the common ones.
  virtual std::optional<bool> has(std::uint16_t event) const = 0;

  // Before all else: remembers how things stand.
  virtual void take_over() = 0;
  // Turns the counters as a whole on, and each of those of events off.
  virtual void turn_on() = 0;
  // Stops the counter, gives it something to count and clears it. The cycle counter is not cleared:
  // others may be reading it.
  virtual void configure(int counter, const Setting& setting) = 0;
  virtual void start(std::uint32_t counters) = 0;
  virtual void stop(std::uint32_t counters) = 0;
  virtual Snapshot read(std::uint32_t counters) = 0;
  virtual void clear_overflows(std::uint32_t counters) = 0;
  // Whether these counters are on, and count what they were configured for.
  virtual bool intact(std::uint32_t counters) = 0;
  // The event, among those that these counters were configured for, whose number is wider than the
  // core's registers: they kept less of it.
  virtual std::optional<std::uint16_t> too_wide(std::uint32_t /*counters*/) const { return {}; }
  // After all else: leaves the registers as take_over() found them.
  virtual void give_back() = 0;

 protected:
  Registers& registers() { return registers_; }

 private:
  Registers& registers_;
};

// With this many counters of events. What the core has is asked at once.
std::unique_ptr<Driver> make_driver(Architecture architecture, Registers& registers, int counters);

std::unique_ptr<Driver> make_arm1176_driver(Registers& registers);
// `cycle_bits`: of the cycle counter, 32 or 64.
std::unique_ptr<Driver> make_later_driver(unsigned cycle_bits, Registers& registers, int counters);

}  // namespace tacho::arm
