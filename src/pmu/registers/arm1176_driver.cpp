// The ARM1176 has two event counters and the cycle counter. One register, the PMNC, turns all on
// and off, selects the two events and has the three overflow flags (ARM DDI 0301H, 3.2.51). Writing
// 1 clears a flag, so a write with 0 keeps it.
#include "pmu/registers/arm1176_driver.hpp"

namespace tacho::arm {
namespace {

constexpr std::uint64_t kEnable1176 = 1U << 0U;
constexpr std::uint64_t kResetCounts = 1U << 1U;
constexpr std::uint64_t kResetCycles = 1U << 2U;
constexpr std::uint64_t kDivide1176 = 1U << 3U;
constexpr std::uint64_t kEventMask1176 = 0xff;

// A counter, its register and its bits in the PMNC.
struct Place {
  int counter;
  Register value;
  unsigned flag;
  unsigned event;  // not used for the cycle counter
};
constexpr std::array kTable = {Place{0, Register::count0, 8, 20}, Place{1, Register::count1, 9, 12},
                               Place{kCycleCounter, Register::cycles, 10, 0}};

std::uint64_t flags_of(std::uint32_t counters) {
  std::uint64_t flags = 0;
  for (const Place& place : kTable)
    if ((counters & bit(place.counter)) != 0) flags |= std::uint64_t{1} << place.flag;
  return flags;
}

constexpr std::uint64_t kFlags = 7U << 8U;
constexpr std::uint64_t kActions = kResetCounts | kResetCycles | kFlags;

class Arm1176Driver final : public Driver {
 public:
  using Driver::Driver;

  unsigned cycle_bits() const override { return 32; }
  bool tells_modes() const override { return false; }
  std::uint16_t cycles_event() const override { return 0xff; }
  std::optional<bool> has(std::uint16_t) const override { return std::nullopt; }

  void take_over() override {
    found_ = registers().read(Register::control) & ~kActions;
    control_ = found_ | kEnable1176;
  }

  void turn_on() override {
    registers().write(Register::control, control_ | kResetCounts | flags_of(bit(0) | bit(1)));
  }

  void configure(int counter, const Setting& setting) override {
    for (const Place& place : kTable) {
      if (place.counter != counter) continue;
      if (counter == kCycleCounter) {
        control_ = setting.divided ? control_ | kDivide1176 : control_ & ~kDivide1176;
      } else {
        control_ &= ~(kEventMask1176 << place.event);
        control_ |= (setting.event & kEventMask1176) << place.event;
      }
      registers().write(Register::control, control_);
      if (counter != kCycleCounter) registers().write(place.value, 0);
      registers().write(Register::control, control_ | flags_of(bit(counter)));
    }
  }

  // The PMNC turns on all counters together.
  void start(std::uint32_t) override {}
  void stop(std::uint32_t) override {}

  Snapshot read(std::uint32_t counters) override {
    Snapshot snapshot;
    for (const Place& place : kTable)
      if ((counters & bit(place.counter)) != 0)
        snapshot.values[place.counter] = registers().read(place.value);
    const std::uint64_t control = registers().read(Register::control);
    for (const Place& place : kTable)
      if ((control >> place.flag & 1) != 0) snapshot.overflowed |= bit(place.counter);
    return snapshot;
  }

  void clear_overflows(std::uint32_t counters) override {
    registers().write(Register::control, control_ | flags_of(counters));
  }

  bool intact(std::uint32_t) override {
    return (registers().read(Register::control) & ~kActions) == control_;
  }

  void give_back() override { registers().write(Register::control, found_); }

 private:
  std::uint64_t found_ = 0;
  std::uint64_t control_ = 0;
};

}  // namespace

std::unique_ptr<Driver> make_arm1176_driver(Registers& registers) {
  return std::make_unique<Arm1176Driver>(registers);
}

}  // namespace tacho::arm
